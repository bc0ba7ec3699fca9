"""`selfplay`: games of the engine against itself, a row for each position.

A task is the number of a game. The engine's own `selfplay` plays it, and a game depends on the run's seed and its
number only, so the games are those of one process with the same seed.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from kifuwarabe_cluster.engine import EngineFailure, run_to_exit
from kifuwarabe_cluster.run import BatchWorker
from kifuwarabe_cluster.store import TEXT
from kifuwarabe_cluster.tasks import Plan, Run, sides

KIND = "selfplay"

SCHEMA = pa.schema(
    [
        ("game", pa.int64()),
        ("move_number", pa.int16()),
        ("width", pa.int8()),
        ("height", pa.int8()),
        ("komi", pa.float32()),
        ("rules", TEXT),
        ("played", TEXT),
        ("visits", pa.list_(pa.struct([("place", pa.int16()), ("visits", pa.int32())]))),
        ("winner", TEXT),
        ("margin", pa.float32()),
        ("ownership", pa.list_(pa.int8())),
        ("playouts", pa.int32()),
        ("settings", TEXT),
        ("seed", pa.int64()),
        ("engine", TEXT),
        ("net", TEXT),
    ]
)


def plan(visits: int, size: str, komi: float | None, seed: int) -> Plan:
    return Plan(KIND, {"visits": visits, "size": size, "komi": komi}, seed)


class SelfplayWorker(BatchWorker):
    """Plays games, neighbours by number in one engine process."""

    schema = SCHEMA

    def groups(self, tasks: Sequence[str]) -> list[tuple[str, ...]]:
        groups: list[tuple[str, ...]] = []
        for task in tasks:
            if groups and int(groups[-1][-1]) + 1 == int(task):
                groups[-1] = (*groups[-1], task)
            else:
                groups.append((task,))
        return groups

    def rows(self, run: Run, tasks: tuple[str, ...], payload: Any) -> tuple[pa.Table, Sequence[str]]:
        settings = run.settings
        with tempfile.TemporaryDirectory(prefix="kifuwarabe-") as name:
            command = [
                *self.options.command(), "selfplay", "--out", "games.jsonl",
                "--first", tasks[0], "--games", str(len(tasks)), "--seed", str(run.seed),
                "--size", settings["size"], "--visits", str(settings["visits"]),
                "--threads", str(self.options.threads),
            ]  # fmt: skip
            if settings["komi"] is not None:
                command += ["--komi", str(settings["komi"])]
            run_to_exit(command, Path(name), self.seconds * len(tasks))
            lines = Path(name, "games.jsonl").read_text().splitlines()
        games = sorted((json.loads(line) for line in lines), key=lambda game: int(game["game"]))
        if [str(game["game"]) for game in games] != list(tasks):
            raise EngineFailure(f"the engine played {len(games)} games instead of {len(tasks)}")
        return pa.concat_tables([game_rows(game, run) for game in games]), ()


def game_rows(game: Mapping[str, Any], run: Run) -> pa.Table:
    """The rows of a line of the engine's self-play file."""
    moves = game["moves"]
    count = len(moves)
    width, height = sides(game["size"])
    columns = {
        "game": [game["game"]] * count,
        "move_number": list(range(count)),
        "width": [width] * count,
        "height": [height] * count,
        "komi": [game["komi"]] * count,
        "rules": [game["rules"]] * count,
        "played": moves,
        "visits": [[{"place": place, "visits": visits} for place, visits in row] for row in game["visits"]],
        "winner": [game["winner"]] * count,
        "margin": [game["margin"]] * count,
        "ownership": [game["ownership"]] * count,
        "playouts": [game["playouts"]] * count,
        "settings": [game["settings"]] * count,
        "seed": [game["seed"]] * count,
        "engine": [run.identity.version] * count,
        "net": [game["net"]] * count,
    }
    return pa.table(columns, schema=SCHEMA)
