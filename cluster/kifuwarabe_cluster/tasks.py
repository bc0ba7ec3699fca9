"""A run as a set of tasks named by content.

A run is named by the digest of its kind, its settings and the engine's identity; a task of a review by its record's
digest, one of self-play or of a match by its number. Tasks are grouped into batches, and a batch is named by its tasks.
So the same inputs have the same names on every machine, and what is stored under its name need not be done again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

from kifuwarabe_cluster.engine import Identity

MAX_SEED = (1 << 53) - 1
"""The greatest seed of the engine."""


def digest(value: Any) -> str:
    """128 bits of the SHA-256 digest of bytes, or of the JSON of anything else, in hexadecimal."""
    data = value if isinstance(value, bytes) else json.dumps(value, sort_keys=True, ensure_ascii=False).encode()
    return sha256(data).hexdigest()[:32]


def sides(size: int | str) -> tuple[int, int]:
    """Width and height of a board: a number or "9" for a square, "9x13" for 9 columns and 13 rows."""
    width, _, height = str(size).partition("x")
    return int(width), int(height or width)


@dataclass(frozen=True)
class Plan:
    """A request of the user."""

    kind: str
    settings: Mapping[str, Any]
    seed: int

    def run(self, identity: Identity) -> Run:
        """The run of this plan with an engine."""
        return Run(self.kind, identity, self.settings, self.seed)


@dataclass(frozen=True)
class Run:
    """The data that all tasks of a run share."""

    kind: str
    identity: Identity
    settings: Mapping[str, Any]
    seed: int

    @property
    def facts(self) -> dict[str, Any]:
        """The facts in the metadata of every file of the run."""
        return {"kind": self.kind, **asdict(self.identity), "settings": dict(self.settings), "seed": self.seed}

    @property
    def name(self) -> str:
        return digest(self.facts)[:16]

    def seed_of(self, task: str) -> int:
        """The engine's RNG seed for a task: from 1, because 0 picks a random one."""
        return int(digest([self.seed, task]), 16) % MAX_SEED + 1


@dataclass(frozen=True)
class Batch:
    """Tasks that are done together and stored in one file."""

    tasks: tuple[str, ...]
    attempts: int = field(default=0, compare=False)

    @property
    def name(self) -> str:
        return digest(list(self.tasks))

    def halves(self) -> tuple[Batch, Batch]:
        middle = len(self.tasks) // 2
        return Batch(self.tasks[:middle]), Batch(self.tasks[middle:])


def batches(tasks: Iterable[str], size: int, stored: set[str], done: set[str]) -> Iterator[Batch]:
    """Batches of `size` tasks in order, less those that are stored under their name, and less the tasks that are done
    in other batches.

    The batches are those of the whole set, so that what is left is grouped in the same way at any time, and two drivers
    with the same inputs write the same files.
    """
    group: list[str] = []

    def remaining() -> Iterator[Batch]:
        if group and Batch(tuple(group)).name not in stored:
            left = tuple(task for task in group if task not in done)
            if left:
                yield Batch(left)

    for task in tasks:
        group.append(task)
        if len(group) == size:
            yield from remaining()
            group = []
    yield from remaining()
