"""Results as Parquet files, in a folder or at any address of fsspec.

A run has the folder `KIND/run=NAME`, where DuckDB, Polars and Spark find its name as a column. A file has the rows of a
batch and, as metadata of its schema, the run's facts, the names of its tasks, and the problems of those without rows.
It is written under another name and renamed, so that a reader sees it whole or not at all. Two drivers that do the same
batch write the same file.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

from kifuwarabe_cluster.tasks import Batch, Run

ENDING = ".parquet"
METADATA = b"kifuwarabe"
READERS = 16
ROW_GROUP = 65536

T = TypeVar("T")

TEXT = pa.dictionary(pa.int32(), pa.string())
"""The type of a column whose text is the same in many rows: a file holds each text once."""


class UsageError(Exception):
    """An option or argument that cannot be used."""


@dataclass(frozen=True)
class Problem:
    """A task without rows, and why; or a task with rows, and a warning about them."""

    task: str
    source: str
    reason: str


@dataclass(frozen=True)
class Footer:
    """The metadata of a file, beside its rows."""

    name: str
    tasks: tuple[str, ...]
    problems: tuple[Problem, ...]


def table_bytes(table: pa.Table, run: Run, batch: Batch, problems: Sequence[Problem]) -> bytes:
    """The file of a batch. It is the same whenever rows and metadata are the same."""
    description = {"run": run.facts, "tasks": batch.tasks, "problems": [asdict(problem) for problem in problems]}
    table = table.replace_schema_metadata({METADATA: json.dumps(description, sort_keys=True).encode()})
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd", row_group_size=ROW_GROUP)
    return sink.getvalue()


def file_system(address: str) -> tuple[Any, str]:
    """The file system of an address of fsspec, and the path there."""
    try:
        fs, path = fsspec.core.url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise UsageError(f"{address}: {error}") from error
    return fs, path.rstrip("/")


class Store:
    """The results at an address."""

    def __init__(self, address: str) -> None:
        self.fs, self.root = file_system(address)

    @property
    def is_local(self) -> bool:
        """Whether the address is a folder of this machine, which other nodes need not see."""
        protocol = self.fs.protocol
        return "file" in ([protocol] if isinstance(protocol, str) else protocol)

    def folder(self, run: Run) -> str:
        return f"{self.root}/{run.kind}/run={run.name}"

    def path(self, run: Run, name: str) -> str:
        return f"{self.folder(run)}/{name}{ENDING}"

    def write(self, path: str, data: bytes) -> None:
        """Writes a file whole or not at all."""
        folder, name = path.rsplit("/", 1)
        self.fs.makedirs(folder, exist_ok=True)
        # readers of folders pass over names that begin with a point
        temporary = f"{folder}/.{name}.{uuid.uuid4().hex}.tmp"
        try:
            with self.fs.open(temporary, "wb") as file:
                file.write(data)
                if self.is_local:
                    file.flush()
                    os.fsync(file.fileno())
            self.fs.mv(temporary, path)
        except BaseException:
            with contextlib.suppress(Exception):
                self.fs.rm_file(temporary)
            raise

    def names(self, run: Run) -> list[str]:
        """The names of a run's files, in order."""
        self.fs.invalidate_cache()
        try:
            paths = self.fs.ls(self.folder(run), detail=False)
        except FileNotFoundError:
            return []
        names = (str(path).rsplit("/", 1)[-1] for path in paths)
        return sorted(name.removesuffix(ENDING) for name in names if name.endswith(ENDING))

    def footer(self, run: Run, name: str) -> Footer:
        with self.fs.open(self.path(run, name), "rb") as file:
            metadata = pq.read_metadata(file)
        description = json.loads((metadata.metadata or {})[METADATA])
        problems = tuple(Problem(**problem) for problem in description["problems"])
        return Footer(name, tuple(description["tasks"]), problems)

    def footers(self, run: Run, names: Sequence[str]) -> Iterator[Footer]:
        """The footers of files, less those that another driver has removed meanwhile."""
        return self.of_files(names, lambda name: self.footer(run, name))

    def of_files(self, names: Sequence[str], read: Callable[[str], T]) -> Iterator[T]:
        """What `read` returns for each file, in order, less the files that another driver has removed meanwhile."""

        def read_or_none(name: str) -> T | None:
            try:
                return read(name)
            except FileNotFoundError:
                return None

        with ThreadPoolExecutor(READERS) as pool:
            yield from (found for found in pool.map(read_or_none, names) if found is not None)

    def table(self, run: Run, name: str, columns: list[str] | None = None) -> pa.Table:
        with self.fs.open(self.path(run, name), "rb") as file:
            return pq.read_table(file, columns=columns)

    def remove_repeated(self, run: Run, task_column: str) -> int:
        """Removes the rows of tasks that two drivers with different inputs did in different batches; returns the number
        of these tasks. Of the files that have a task, the first by name keeps it."""
        seen: set[str] = set()
        removed = 0
        for footer in list(self.footers(run, self.names(run))):
            repeated = seen.intersection(footer.tasks)
            seen.update(footer.tasks)
            if not repeated:
                continue
            removed += len(repeated)
            kept = Batch(tuple(task for task in footer.tasks if task not in repeated))
            if kept.tasks:
                table = self.table(run, footer.name)
                is_kept = pa.compute.is_in(table[task_column].cast(pa.string()), pa.array(kept.tasks, pa.string()))
                problems = [problem for problem in footer.problems if problem.task not in repeated]
                self.write(self.path(run, kept.name), table_bytes(table.filter(is_kept), run, kept, problems))
            with contextlib.suppress(FileNotFoundError):
                self.fs.rm_file(self.path(run, footer.name))
        return removed
