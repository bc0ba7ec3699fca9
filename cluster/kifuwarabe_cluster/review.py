"""`review`: the positions of game records, a row each, with the numbers of the engine's `report`.

A task is a record, named by the digest of its bytes; of equal records one is reviewed. Losses, classes, phases and
accuracies are the engine's.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from kifuwarabe_cluster.engine import ReviewEngine
from kifuwarabe_cluster.run import BatchWorker, TaskFailure, TaskProblem, Work
from kifuwarabe_cluster.store import TEXT, Problem, file_system
from kifuwarabe_cluster.tasks import Batch, Plan, Run, digest

KIND = "review"

SCHEMA = pa.schema(
    [
        ("record", TEXT),
        ("source", TEXT),
        ("black", TEXT),
        ("white", TEXT),
        ("result", TEXT),
        ("rules", TEXT),
        ("komi", pa.float32()),
        ("width", pa.int8()),
        ("height", pa.int8()),
        ("move_number", pa.int16()),
        ("to_move", TEXT),
        ("played", pa.string()),
        ("best", pa.string()),
        ("win_rate", pa.float32()),
        ("lead", pa.float32()),
        ("win_rate_lost", pa.float32()),
        ("points_lost", pa.float32()),
        ("accuracy", pa.float32()),
        ("phase", TEXT),
        ("class", TEXT),
        ("visits", pa.int32()),
        ("variation", pa.list_(pa.string())),
        ("seed", pa.int64()),
        ("engine", TEXT),
        ("net", TEXT),
    ]
)


@dataclass(frozen=True)
class Record:
    """A record as a worker gets it."""

    source: str
    data: bytes | None
    """`None` if it is not there any more."""


class Records:
    """The records below an address of fsspec: files whose name ends in `.sgf`."""

    def __init__(self, address: str) -> None:
        self.fs, self.root = file_system(address)
        if not self.fs.isdir(self.root):
            raise FileNotFoundError(f"{address}: expected a folder of records")
        paths = (str(path) for path in self.fs.find(self.root))
        self.sources: dict[str, str] = {}
        self.unreadable: list[Problem] = []
        self.equal = 0
        for path in sorted(path for path in paths if path.lower().endswith(".sgf")):
            source = path[len(self.root) + 1 :]
            try:
                task = digest(self.fs.cat_file(path))
            except OSError as error:
                self.unreadable.append(Problem("", source, error.strerror or str(error)))
                continue
            self.equal += task in self.sources
            self.sources.setdefault(task, source)

    def work(self, size: int) -> Work:
        """The records as tasks, in batches of `size`."""
        tasks = sorted(self.sources)
        return Work(lambda: tasks, len(tasks), size, "records", "record", self.payload, has_problems=True)

    def payload(self, batch: Batch) -> dict[str, Record]:
        """The records of a batch."""
        return {task: self.record(task) for task in batch.tasks}

    def record(self, task: str) -> Record:
        source = self.sources[task]
        try:
            data = self.fs.cat_file(f"{self.root}/{source}")
        except OSError:
            return Record(source, None)
        return Record(source, data if digest(data) == task else None)


def plan(visits: int, seed: int) -> Plan:
    return Plan(KIND, {"visits": visits}, seed)


class ReviewWorker(BatchWorker):
    """Reviews records with an engine process of its own."""

    schema = SCHEMA

    @functools.cached_property
    def engine(self) -> ReviewEngine:
        return ReviewEngine(self.options)

    def close(self) -> None:
        self.engine.close()

    def source(self, task: str, payload: Mapping[str, Record]) -> str:
        return payload[task].source

    def rows(self, run: Run, tasks: tuple[str, ...], payload: Mapping[str, Record]) -> tuple[pa.Table, Sequence[str]]:
        (task,) = tasks
        record = payload[task]
        if record.data is None:
            raise TaskFailure("the record was changed or removed during the run")
        seed = run.seed_of(task)
        answer = self.engine.review(record.data, run.settings["visits"], seed, self.seconds)
        if "error" in answer:
            raise TaskProblem(str(answer["error"]).replace("report record.sgf: ", ""))
        warnings = [warning.removeprefix("record.sgf: ") for warning in answer["warnings"]]
        return rows(answer, task, record.source, seed, run.identity.net), warnings


def rows(answer: Mapping[str, Any], task: str, source: str, seed: int, net: str) -> pa.Table:
    """The rows of an answer of `report --serve`: a position each, with the move that was played there."""
    positions = answer["positions"]
    count = len(positions)
    # a position's `played` is the move that led to it
    played = [*(position["played"] for position in positions[1:]), {}]

    def of_game(value: Any) -> list[Any]:
        return [value] * count

    def of_position(key: str) -> list[Any]:
        return [position[key] for position in positions]

    def of_move(key: str) -> list[Any]:
        return [move.get(key) for move in played]

    columns = {
        "record": of_game(task),
        "source": of_game(source),
        **{name: of_game(answer[name]) for name in ("black", "white", "result", "rules", "komi", "width", "height")},
        "move_number": of_position("number"),
        "to_move": of_position("toMove"),
        "played": of_move("move"),
        "best": [position["variation"][0] for position in positions],
        "win_rate": of_position("winRate"),
        "lead": of_position("lead"),
        "win_rate_lost": of_move("winRateLost"),
        "points_lost": of_move("pointsLost"),
        "accuracy": of_move("accuracy"),
        "phase": of_move("phase"),
        "class": of_move("class"),
        # a position that is scored has no candidates, and was not searched
        "visits": [answer["visits"] if position["candidates"] else 0 for position in positions],
        "variation": of_position("variation"),
        "seed": of_game(seed),
        "engine": of_game(answer["version"]),
        "net": of_game(net),
    }
    return pa.table(columns, schema=SCHEMA)
