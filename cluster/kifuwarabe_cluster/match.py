"""`match`: two GTP engines against each other, a row for each game.

A task is a pair of games from one random opening, each engine Black in one of them. The engine of the run is the
referee: it checks every move and counts the score. A command with `{seed}` is restarted for every game with a seed
of its own, so that its games can be repeated.
"""

from __future__ import annotations

import math
import random
import shlex
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from kifuwarabe_cluster.engine import (
    START_SECONDS,
    EngineFailure,
    EngineOptions,
    EngineProcess,
    EngineUnavailable,
    Identity,
)
from kifuwarabe_cluster.run import BatchWorker, TaskFailure
from kifuwarabe_cluster.store import TEXT, Store
from kifuwarabe_cluster.tasks import Plan, Run, sides

KIND = "match"
COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
MAX_MOVES_PER_POINT = 3
Z = 1.959964
"""Of the 95% interval."""

SCHEMA = pa.schema(
    [
        ("pair", pa.int64()),
        ("game", pa.int8()),
        ("black", TEXT),
        ("winner", TEXT),
        ("result", TEXT),
        ("reason", TEXT),
        ("opening", pa.int16()),
        ("moves", pa.list_(pa.string())),
        ("width", pa.int8()),
        ("height", pa.int8()),
        ("komi", pa.float32()),
        ("rules", TEXT),
        ("a", TEXT),
        ("b", TEXT),
        ("name_a", TEXT),
        ("name_b", TEXT),
        ("seed", pa.int64()),
        ("engine", TEXT),
        ("net", TEXT),
    ]
)


class GtpError(Exception):
    """A GTP engine answered a command with an error."""


@dataclass(frozen=True)
class Conditions:
    """The conditions of all games of a match."""

    size: str
    komi: float
    rules: str
    opening: int
    """Moves drawn at random before each pair of games."""


def plan(a: str, b: str, conditions: Conditions, settings: Sequence[str], seed: int) -> Plan:
    """A match. `settings` are those of `{engine}`, KEY=VALUE. They have threads and pondering, too, which change games
    and are not in the configuration of the engine's identity."""
    return Plan(KIND, {"a": a, "b": b, **asdict(conditions), "settings": list(settings)}, seed)


class GtpEngine:
    """An engine that speaks GTP."""

    def __init__(self, command: list[str], folder: Path, seconds: float) -> None:
        self.process = EngineProcess(command, folder)
        self.seconds = seconds
        self.until = 0.0
        self.commands: set[str] = set()

    def begin(self, conditions: Conditions) -> None:
        """Sets a new game up; the process is started if it does not run."""
        self.process.start()
        self.until = time.monotonic() + START_SECONDS
        if not self.commands:
            self.commands = set(self.ask("list_commands").split())
        width, height = sides(conditions.size)
        self.ask(f"boardsize {width}" if width == height else f"rectangular_boardsize {width} {height}")
        self.ask("clear_board")
        if "kata-set-rules" in self.commands:
            self.ask(f"kata-set-rules {conditions.rules}")
        self.ask(f"komi {conditions.komi:g}")
        self.begin_time()

    def begin_time(self) -> None:
        """Begins the time limit of a game anew."""
        self.until = time.monotonic() + self.seconds

    def ask(self, command: str) -> str:
        """The text of the answer. A process that ended is not started again: a new one has an empty board."""
        self.process.send(command)
        lines: list[str] = []
        # an answer ends with an empty line; empty lines before it mean nothing
        while not lines or lines[-1]:
            line = self.process.receive(self.until)
            if line or lines:
                lines.append(line)
        text = "\n".join(lines).strip()
        mark, answer = text[:1], text[1:].strip()
        if mark not in ("=", "?"):
            raise self.process.failed(f"{command}: expected an answer of GTP, found {text[:80]!r}")
        if mark == "?":
            raise GtpError(f"{command}: {answer}")
        return answer

    def name(self) -> str:
        return f"{self.ask('name')} {self.ask('version')}".strip()

    def close(self) -> None:
        self.process.close()


@dataclass(frozen=True)
class GameResult:
    """How a game ended: the colour that won or an empty text, the result as in records, and why."""

    winner: str
    result: str
    reason: str


class MatchWorker(BatchWorker):
    """Plays pairs of games."""

    schema = SCHEMA

    def __init__(
        self, options: EngineOptions, address: str, seconds: float, programs: Mapping[str, str], conditions: Conditions
    ) -> None:
        """`programs` are the commands of the engines by their roles, which `identify` tries."""
        super().__init__(options, address, seconds)
        self.programs = programs
        self.conditions = conditions
        self.folder = tempfile.TemporaryDirectory(prefix="kifuwarabe-")
        self.engines: dict[str, GtpEngine] = {}

    def identify(self) -> Identity:
        """The identity of the referee, after it and each program have set a game up."""
        found = super().identify()
        for role, command in {"referee": "{engine}", **self.programs}.items():
            try:
                engine = self.engine(role, command, 1)
                engine.begin(self.conditions)
                engine.name()
            except (EngineFailure, EngineUnavailable, GtpError) as error:
                raise EngineUnavailable(f"{command}: {error}") from error
        return found

    def engine(self, role: str, command: str, seed: int) -> GtpEngine:
        """The engine of a role, restarted if its command has a seed."""
        if "{seed}" not in command and role + command in self.engines:
            return self.engines[role + command]
        own = shlex.join(self.options.command())
        words = shlex.split(command.replace("{engine}", own).replace("{seed}", str(seed)))
        engine = GtpEngine(words, Path(self.folder.name), self.seconds)
        for key in [key for key in self.engines if key.startswith(role)]:
            self.engines.pop(key).close()
        self.engines[role + command] = engine
        return engine

    def close(self) -> None:
        for engine in self.engines.values():
            engine.close()
        self.folder.cleanup()

    def rows(self, run: Run, tasks: tuple[str, ...], payload: Any) -> tuple[pa.Table, Sequence[str]]:
        (task,) = tasks
        settings = run.settings
        conditions = Conditions(settings["size"], settings["komi"], settings["rules"], settings["opening"])
        try:
            tables = [self.game(run, conditions, int(task), game) for game in range(2)]
        except GtpError as error:
            raise TaskFailure(str(error)) from error
        return pa.concat_tables(tables), ()

    def game(self, run: Run, conditions: Conditions, pair: int, game: int) -> pa.Table:
        """A game of a pair; `a` is Black in game 0."""
        settings = run.settings
        seed = run.seed_of(f"{pair}")
        referee = self.engine("referee", "{engine}", 0)
        own_seed = {name: run.seed_of(f"{pair} {game} {name}") for name in "ab"}
        engines = {name: self.engine(name, settings[name], own_seed[name]) for name in "ab"}
        for engine in (referee, *engines.values()):
            engine.begin(conditions)
        # one may have waited for the start of another
        for engine in (referee, *engines.values()):
            engine.begin_time()
        names = {name: engine.name() for name, engine in engines.items()}
        moves = draw_opening(referee, conditions, random.Random(seed))
        opening = len(moves)
        for number, move in enumerate(moves):
            for engine in engines.values():
                engine.ask(f"play {'bw'[number % 2]} {move}")
        black = "ab"[game]
        ending = play(referee, [engines[black], engines["ba"[game]]], conditions, moves)
        winner = "" if not ending.winner else black if ending.winner == "b" else "ba"[game]
        width, height = sides(conditions.size)
        row = {
            "pair": pair,
            "game": game,
            "black": black,
            "winner": winner,
            "result": ending.result,
            "reason": ending.reason,
            "opening": opening,
            "moves": moves,
            "width": width,
            "height": height,
            "komi": conditions.komi,
            "rules": conditions.rules,
            "a": settings["a"],
            "b": settings["b"],
            "name_a": names["a"],
            "name_b": names["b"],
            "seed": seed,
            "engine": run.identity.version,
            "net": run.identity.net,
        }
        return pa.Table.from_pylist([row], schema=SCHEMA)


def draw_opening(referee: GtpEngine, conditions: Conditions, rng: random.Random) -> list[str]:
    """Legal moves drawn at random, played in the referee. The first line is left out, where it can be."""
    width, height = sides(conditions.size)
    margin = 1 if min(width, height) > 4 else 0
    points = [
        f"{COLUMNS[x]}{y + 1}" for x in range(margin, width - margin) for y in range(margin, height - margin)
    ]  # fmt: skip
    rng.shuffle(points)
    moves: list[str] = []
    for point in points:
        if len(moves) == conditions.opening:
            break
        try:
            referee.ask(f"play {'bw'[len(moves) % 2]} {point}")
        except GtpError:
            continue
        moves.append(point)
    return moves


def play(referee: GtpEngine, players: list[GtpEngine], conditions: Conditions, moves: list[str]) -> GameResult:
    """Plays a game on; `players` are Black and White, `moves` those made so far, to which the others are added.

    A player who makes no move, or an illegal one, or refuses a legal one loses by forfeit.
    """
    width, height = sides(conditions.size)
    passes = 0
    while passes < 2 and len(moves) < MAX_MOVES_PER_POINT * width * height:
        turn = len(moves) % 2
        color, other = "bw"[turn], "bw"[1 - turn]
        try:
            move = players[turn].ask(f"genmove {color}").upper()
        except GtpError as error:
            return GameResult(other, f"{other.upper()}+F", f"no move: {error}")
        if move == "RESIGN":
            return GameResult(other, f"{other.upper()}+R", "resignation")
        try:
            referee.ask(f"play {color} {move}")
        except GtpError as error:
            return GameResult(other, f"{other.upper()}+F", f"illegal move: {error}")
        moves.append(move)
        try:
            players[1 - turn].ask(f"play {color} {move}")
        except GtpError as error:
            return GameResult(color, f"{color.upper()}+F", f"refused move: {error}")
        passes = passes + 1 if move == "PASS" else 0
    score = referee.ask("final_score")
    winner = score[:1].lower()
    return GameResult(winner if winner in "bw" else "", score, "score" if passes == 2 else "length")


@dataclass(frozen=True)
class Score:
    """Games of the first engine."""

    won: int
    lost: int
    drawn: int

    @property
    def games(self) -> int:
        return self.won + self.lost + self.drawn

    @property
    def rate(self) -> float:
        """Of wins, with draws as halves."""
        return (self.won + self.drawn / 2) / max(self.games, 1)

    def interval(self) -> tuple[float, float]:
        """The 95% interval of the win rate (Wilson, 1927), each game by itself."""
        n, p = self.games, self.rate
        if n == 0:
            return 0.0, 1.0
        middle = p + Z * Z / (2 * n)
        spread = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
        scale = 1 + Z * Z / n
        return max((middle - spread) / scale, 0.0), min((middle + spread) / scale, 1.0)

    def text(self) -> str:
        low, high = self.interval()
        elo = [f"{round(-400 * math.log10(1 / p - 1)):+d}" if 0 < p < 1 else "unknown" for p in (low, self.rate, high)]
        return (
            f"a won {self.won}, lost {self.lost} and drew {self.drawn} of {self.games} games: {100 * self.rate:.1f}%, "
            f"95% interval {100 * low:.1f} to {100 * high:.1f}%; Elo {elo[1]}, {elo[0]} to {elo[2]}"
        )


def score(store: Store, run: Run, pairs: int) -> Score:
    """The score of the first engine over the stored pairs of a run."""
    columns = ["pair", "winner"]
    tables = store.of_files(store.names(run), lambda name: store.table(run, name, columns))
    winners = [row["winner"] for table in tables for row in table.to_pylist() if row["pair"] < pairs]
    return Score(winners.count("a"), winners.count("b"), winners.count(""))
