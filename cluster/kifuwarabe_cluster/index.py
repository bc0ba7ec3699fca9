"""Tables over the reviews of a run, and the HTML pages that show them.

Each file is reduced to a few rows by itself, so that the memory does not grow with the number of positions.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from kifuwarabe_cluster.store import Problem, Store
from kifuwarabe_cluster.tasks import Run

NO_NAME = "(no name)"
CLASSES = ("inaccuracy", "mistake", "blunder")
SUMS = ("moves", "accuracy", "points_lost", "expected", *CLASSES)
PHASES = ("opening", "middle game", "endgame")
RECORDS_PER_PAGE = 1000
PLAYERS_SHOWN = 1000
COLUMNS = [
    "record", "source", "black", "white", "result", "to_move", "played", "best",
    "points_lost", "accuracy", "phase", "class",
]  # fmt: skip


@dataclass(frozen=True)
class Tables:
    """Sums over the moves of records of a run."""

    players: pa.Table
    """A row for each player: the sums, and the number of games."""
    phases: pa.Table
    """A row for each player and phase."""
    records: pa.Table
    """A row for each record."""


def moves_of(table: pa.Table) -> pa.Table:
    """The positions in which a move was played, with the player's name and a column for each sum."""
    table = table.filter(pc.is_valid(table["played"]))

    def text(name: str) -> Any:
        return table[name].cast(pa.string())

    player = pc.if_else(pc.equal(text("to_move"), "black"), text("black"), text("white"))
    columns = {name: text(name) for name in ("record", "source", "black", "white", "result", "phase")}
    columns |= {
        "player": pc.fill_null(player, NO_NAME),
        "moves": pa.array([1] * table.num_rows, pa.int64()),
        "accuracy": table["accuracy"].cast(pa.float64()),
        "points_lost": table["points_lost"].cast(pa.float64()),
        "expected": pc.equal(table["played"], table["best"]).cast(pa.int64()),
    }
    kind = pc.fill_null(text("class"), "")
    columns |= {name: pc.equal(kind, name).cast(pa.int64()) for name in CLASSES}
    return pa.table(columns)


def summed(table: pa.Table, keys: list[str], sums: Sequence[str] = SUMS) -> pa.Table:
    """The sums of rows with equal keys."""
    found = table.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in sums])
    return found.rename_columns([name.removesuffix("_sum") for name in found.column_names]).select([*keys, *sums])


def tables(store: Store, run: Run, tasks: Collection[str]) -> Tables:
    """The tables over the records that `tasks` name; the files of the run may have others."""
    record = ["record", "source", "black", "white", "result"]

    def reduced(name: str) -> tuple[pa.Table, pa.Table]:
        moves = moves_of(store.table(run, name, COLUMNS))
        wanted = [task for task in moves["record"].unique().to_pylist() if task in tasks]
        moves = moves.filter(pc.is_in(moves["record"], pa.array(wanted, pa.string())))
        return summed(moves, ["player", "phase"]), summed(moves, record)

    parts = list(store.of_files(store.names(run), reduced))
    empty = moves_of(pa.table({name: pa.array([], pa.float64() if name in SUMS else pa.string()) for name in COLUMNS}))
    phases = summed(pa.concat_tables([empty.select(["player", "phase", *SUMS]), *(part for part, _ in parts)]),
                    ["player", "phase"])  # fmt: skip
    records = summed(pa.concat_tables([empty.select([*record, *SUMS]), *(part for _, part in parts)]), record)
    # both players may have the same name, or none
    seats = [
        pa.table({"player": pc.fill_null(records[color], NO_NAME), "record": records["record"]})
        for color in ("black", "white")
    ]
    games = pa.concat_tables(seats).group_by(["player", "record"], use_threads=False).aggregate([])
    games = games.append_column("games", pa.array([1] * games.num_rows, pa.int64()))
    players = summed(phases, ["player"]).join(summed(games, ["player"], ["games"]), "player")
    return Tables(
        players.sort_by([("moves", "descending"), ("player", "ascending")]),
        phases,
        records.sort_by("source"),
    )


STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0 }
th, td { padding: .2em .7em; border-bottom: 1px solid #8884 }
th, caption { text-align: left; font-weight: 600 }
.n { text-align: right; font-variant-numeric: tabular-nums }
"""


def page(title: str, body: str) -> bytes:
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{html.escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n<h1>{html.escape(title)}</h1>\n{body}</html>\n"
    ).encode()


def html_table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str | int | float | None]]) -> str:
    """A table; numbers stand at the right."""

    def cell(value: str | int | float | None) -> str:
        if isinstance(value, float):
            return f'<td class="n">{value:.2f}</td>'
        if isinstance(value, int):
            return f'<td class="n">{value:,}</td>'
        return f"<td>{html.escape(value or '')}</td>"

    lines = ["<tr>" + "".join(map(cell, row)) + "</tr>" for row in rows]
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    return f"<table><caption>{html.escape(caption)}</caption>\n<tr>{head}</tr>\n" + "\n".join(lines) + "\n</table>\n"


HEADS = ("moves", "accuracy", "points lost a move", "as expected", "inaccuracies", "mistakes", "blunders")


def means(row: dict[str, Any]) -> list[int | float]:
    """The cells of a row under `HEADS`."""
    moves = max(row["moves"], 1)
    counts = [row[name] for name in CLASSES]
    return [row["moves"], row["accuracy"] / moves, row["points_lost"] / moves, row["expected"] / moves, *counts]


def write_index(
    store: Store, run: Run, tasks: Collection[str], problems: Sequence[Problem], note: Callable[[str], None]
) -> None:
    """Writes `review-RUN.html` with the players, the phases and the problems of the records that `tasks` name, and
    pages with the records."""
    found = tables(store, run, tasks)
    name = f"review-{run.name}"
    records = found.records.to_pylist()
    parts = [records[at : at + RECORDS_PER_PAGE] for at in range(0, len(records), RECORDS_PER_PAGE)]
    links = []
    for number, part in enumerate(parts, 1):
        file = f"{name}-records-{number}.html"
        rows = [[row["source"], row["black"], row["white"], row["result"], *means(row)] for row in part]
        table = html_table("Records", ("record", "Black", "White", "result", *HEADS), rows)
        back = f'<p><a href="{name}.html">Players, phases and problems</a></p>\n'
        store.write(f"{store.root}/{file}", page(f"Records {part[0]['source']} to {part[-1]['source']}", back + table))
        links.append(
            f'<li><a href="{file}">{html.escape(part[0]["source"])} to {html.escape(part[-1]["source"])}</a></li>'
        )
    everyone = summed(found.phases, ["phase"]).to_pylist()
    everyone.sort(key=lambda row: PHASES.index(row["phase"]) if row["phase"] in PHASES else len(PHASES))
    players = found.players.slice(0, PLAYERS_SHOWN).to_pylist()
    phases = {(row["player"], row["phase"]): row for row in found.phases.to_pylist()}
    by_phase = [
        [player["player"], phase, *means(phases[player["player"], phase])]
        for player in players
        for phase in PHASES
        if (player["player"], phase) in phases
    ]
    facts = run.facts
    settings = ", ".join(f"{key} {value}" for key, value in facts["settings"].items())
    summary = (
        f"{facts['program']} {facts['version']}, net {facts['net']}, {settings}, seed {facts['seed']}: "
        f"{len(records)} records, {sum(row['moves'] for row in everyone)} moves, {len(problems)} problems."
    )
    body = f"<p>{html.escape(summary)}</p>\n"
    body += html_table("Phases", ("phase", *HEADS), [[row["phase"], *means(row)] for row in everyone])
    body += html_table(
        "Players", ("player", "games", *HEADS), [[row["player"], row["games"], *means(row)] for row in players]
    )
    body += html_table("Players by phase", ("player", "phase", *HEADS), by_phase)
    if problems:
        rows = [[problem.source, problem.reason] for problem in problems]
        body += html_table("Problems", ("record", "reason"), rows)
    body += "<h2>Records</h2>\n<ul>\n" + "\n".join(links) + "\n</ul>\n"
    path = f"{store.root}/{name}.html"
    store.write(path, page("Reviews", body))
    note(f"wrote {path}")
