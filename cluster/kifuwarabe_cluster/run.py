"""Executes a run: selects the batches that are left, gives them to the workers, and writes their files.

A worker returns the rows of a batch. For a folder of this machine the driver writes them, so that nodes need not share
it; at any other address the worker has written them, so that rows do not pass through the driver.
"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import pyarrow as pa
import ray
from ray.util.metrics import Counter

from kifuwarabe_cluster.engine import EngineFailure, EngineOptions, EngineUnavailable, Identity, identity
from kifuwarabe_cluster.pool import Pool
from kifuwarabe_cluster.progress import Progress
from kifuwarabe_cluster.store import Problem, Store, table_bytes
from kifuwarabe_cluster.tasks import Batch, Run, batches

ATTEMPTS = 3
"""Of a task, when its engine ends or is too late."""


@dataclass(frozen=True)
class BatchResult:
    """The results of a worker for a batch."""

    batch: Batch
    """The tasks that are settled: with rows, or with a problem that will not go away."""
    rows: int
    problems: tuple[Problem, ...]
    failed: tuple[Problem, ...]
    """Tasks that may succeed another time."""
    data: bytes | None
    """The file, where the driver writes it."""


@dataclass
class Summary:
    """The result of a run."""

    tasks: int = 0
    """Tasks done by this call."""
    stored: int = 0
    """Tasks that were stored before."""
    rows: int = 0
    problems: list[Problem] = field(default_factory=list)
    """Tasks of this call without rows, or with a warning; those that earlier calls stored, too."""
    failed: list[Problem] = field(default_factory=list)
    """Tasks that are tried again by the next call."""
    repeated: int = 0
    """Tasks that two drivers with different inputs did, whose rows were kept once."""
    seconds: float = 0.0
    restarts: int = 0


class TaskProblem(Exception):
    """A task that can have no rows, such as a damaged record."""


class TaskFailure(Exception):
    """A task that has no rows this time, and may have them another time."""


class BatchWorker:
    """The part of every worker that does not depend on the kind of its tasks."""

    schema: pa.Schema

    def __init__(self, options: EngineOptions, address: str, seconds: float) -> None:
        self.options = options
        self.seconds = seconds
        self.store = Store(address)
        self.metrics = Metrics()

    # Ray repeats this until the worker is there again; `do` it does not, since the pool gives it to another at once
    @ray.method(max_task_retries=-1)
    def ready(self) -> Identity | EngineUnavailable:
        """The identity of the engine, or the reason why it cannot be used. The reason is a value, because Ray takes an
        exception for the end of the worker."""
        try:
            return self.identify()
        except EngineUnavailable as error:
            return error

    def identify(self) -> Identity:
        """The identity of the engine, after the worker has tried what it needs."""
        return identity(self.options)

    def close(self) -> None:
        """Ends engines and removes temporary folders, before the worker is killed."""

    def groups(self, tasks: Sequence[str]) -> list[tuple[str, ...]]:
        """The tasks that the engine does at once."""
        return [(task,) for task in tasks]

    def rows(self, run: Run, tasks: tuple[str, ...], payload: Any) -> tuple[pa.Table, Sequence[str]]:
        """The rows of a group of tasks, and warnings about a single task. Raises `TaskProblem` or `TaskFailure` for a
        single task, or `EngineFailure` or `EngineUnavailable`."""
        raise NotImplementedError

    def source(self, task: str, payload: Any) -> str:
        """The name of the task for people."""
        return task

    def do(self, tasks: Sequence[str], work: tuple[Run, Any]) -> BatchResult:
        """Does a batch of a run. `work` is the run and what its tasks need."""
        run, payload = work

        def problem(task: str, reason: object) -> Problem:
            return Problem(task, self.source(task, payload), str(reason))

        tables = [self.schema.empty_table()]
        problems: list[Problem] = []
        failed: list[Problem] = []
        waiting = deque((group, 1) for group in self.groups(tasks))
        while waiting:
            group, attempt = waiting.popleft()
            try:
                table, warnings = self.rows(run, group, payload)
                tables.append(table)
                problems.extend(problem(group[0], warning) for warning in warnings)
            except TaskProblem as error:
                problems.append(problem(group[0], error))
            except TaskFailure as error:
                failed.append(problem(group[0], error))
            except EngineUnavailable as error:
                failed.extend(problem(task, error) for task in group)
            except EngineFailure as error:
                self.metrics.engine_failures.inc(tags={"kind": run.kind})
                if len(group) > 1:
                    waiting.extendleft(((task,), 1) for task in reversed(group))
                elif attempt < ATTEMPTS:
                    waiting.appendleft((group, attempt + 1))
                else:
                    failed.append(problem(group[0], f"{error}, {ATTEMPTS} times"))
                continue
            self.metrics.tasks.inc(len(group), tags={"kind": run.kind})
        table = pa.concat_tables(tables)
        unsettled = {problem.task for problem in failed}
        batch = Batch(tuple(task for task in tasks if task not in unsettled))
        data: bytes | None = None
        if batch.tasks:
            data = table_bytes(table, run, batch, problems)
            if not self.store.is_local:
                self.store.write(self.store.path(run, batch.name), data)
                data = None
        if table.num_rows:
            self.metrics.rows.inc(table.num_rows, tags={"kind": run.kind})
        return BatchResult(batch, table.num_rows, tuple(problems), tuple(failed), data)


class Metrics:
    """Counters that Ray exports to Prometheus and its dashboard."""

    def __init__(self) -> None:
        def counter(name: str, description: str) -> Any:
            return Counter(f"kifuwarabe_{name}", description=description, tag_keys=("kind",))

        self.tasks = counter("tasks", "Records, games or pairs of games done.")
        self.rows = counter("rows", "Rows written.")
        self.engine_failures = counter("engine_failures", "Engines that ended or were too late.")


def actors(worker: type[BatchWorker], arguments: Sequence[Any], cpus: float) -> Callable[[], Any]:
    """Makes actors of a class, which Ray restarts wherever there is room."""
    remote: Any = ray.remote(num_cpus=cpus, max_restarts=-1)(worker)
    return lambda: remote.remote(*arguments)


@dataclass(frozen=True)
class Work:
    """The tasks of a run, and how they are grouped and called."""

    tasks: Callable[[], Iterable[str]]
    """All of them, always in one order."""
    count: int
    size: int
    """Tasks in a batch."""
    unit: str
    column: str
    """The column that names the task of a row."""
    payload: Callable[[Batch], Any] = lambda _: None
    """The input of a worker for a batch."""
    has_problems: bool = False
    """Whether files can have problems, which are to be listed."""


def numbered(count: int, size: int, unit: str, column: str) -> Work:
    """Tasks that are numbers from 0."""
    return Work(lambda: map(str, range(count)), count, size, unit, column)


def execute(pool: Pool, run: Run, store: Store, work: Work, is_quiet: bool = False) -> Summary:
    """Does what is not stored of a run."""
    summary = Summary()
    stored = set(store.names(run))
    complete = {batch.name for batch in batches(work.tasks(), work.size, set(), set())}
    done: set[str] = set()
    for footer in store.footers(run, sorted(stored - complete)):
        done.update(footer.tasks)
    left = sum(len(batch.tasks) for batch in batches(work.tasks(), work.size, stored, done))
    summary.stored = work.count - left
    with Progress(work.count, summary.stored, work.unit, is_quiet) as progress:
        stored_names = StoredNames(store, run, stored)
        left_batches = rotated(batches(work.tasks(), work.size, stored, done))
        todo = (batch for batch in left_batches if not stored_names.has(batch))
        for outcome in pool.run(todo, lambda batch: (run, work.payload(batch))):
            if outcome.reason:
                failed = [Problem(task, task, outcome.reason) for task in outcome.batch.tasks]
                summary.failed.extend(failed)
                progress.add(len(failed), 0, len(failed), pool.ready_workers)
                continue
            result: BatchResult = outcome.result
            if result.data is not None:
                store.write(store.path(run, result.batch.name), result.data)
            summary.tasks += len(result.batch.tasks)
            summary.rows += result.rows
            summary.failed.extend(result.failed)
            problems = len(result.problems) + len(result.failed)
            progress.add(len(outcome.batch.tasks), result.rows, problems, pool.ready_workers)
        summary.seconds = progress.seconds
    summary.restarts = pool.restarts
    # files that are all batches of these tasks have none of them twice
    if not complete.issuperset(store.names(run)):
        summary.repeated = store.remove_repeated(run, work.column)
    if work.has_problems:
        # the files may have other tasks, such as earlier versions of a record
        tasks = set(work.tasks())
        footers = store.footers(run, store.names(run))
        summary.problems = [problem for footer in footers for problem in footer.problems if problem.task in tasks]
    summary.problems.sort(key=lambda problem: problem.source)
    return summary


LIST_SECONDS = 30.0
LIST_SHARE = 20.0
"""A folder is listed again after so many seconds, and so many times the duration of the last listing."""


class StoredNames:
    """The files of a run, listed now and then, so that what another driver does meanwhile is seldom done again. To ask
    about each file would cost a request for each batch."""

    def __init__(self, store: Store, run: Run, names: set[str]) -> None:
        self.store, self.run, self.names = store, run, names
        self.next = time.monotonic() + LIST_SECONDS

    def has(self, batch: Batch) -> bool:
        if (begin := time.monotonic()) > self.next:
            self.names = set(self.store.names(self.run))
            end = time.monotonic()
            self.next = end + max(LIST_SECONDS, LIST_SHARE * (end - begin))
        return batch.name in self.names


ROTATION_WINDOW = 1024


def rotated(todo: Iterator[Batch]) -> Iterator[Batch]:
    """The batches in a random order, a window at a time, so that two drivers of one run seldom do the same one."""
    while window := list(islice(todo, ROTATION_WINDOW)):
        random.shuffle(window)
        yield from window
