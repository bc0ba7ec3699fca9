"""Batches on Ray actors, with a bounded number in flight.

Ray places the workers, restarts them after they or their node end, and spreads them over nodes that join. What is
decided here is only which worker gets the next batch: each that is ready has at most `depth` batches. A batch whose
worker ended is done again by another, a bounded number of times; then it is halved, until the task that ends workers is
alone, and that one is listed with its reason.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import ray
from ray.exceptions import RayActorError, RayError, RayTaskError

from kifuwarabe_cluster.engine import EngineUnavailable, Identity
from kifuwarabe_cluster.tasks import Batch

WAIT_SECONDS = 1.0
TELL_SECONDS = 60.0
CLOSE_SECONDS = 5.0
MAX_ATTEMPTS = 3
MAX_FAILED_STARTS = 4
"""In a row: then no more are started, and without any other worker the run ends."""

log = logging.getLogger("kifuwarabe_cluster")


class PoolError(Exception):
    """No worker can work."""


@dataclass(frozen=True)
class PoolOptions:
    """How many workers there are, and what each has."""

    workers: int | None = None
    """`None`: as many as there are free CPUs for, with one more waiting for a node that joins."""
    cpus: float = 1
    depth: int = 2
    """Batches that a worker has: the one it does, and the next."""
    batch_seconds: float = 3600.0
    """A worker that takes longer for a batch is restarted."""


@dataclass(frozen=True)
class Outcome:
    """A batch that was done, with what its worker returned; or whose only task always fails, with the reason."""

    batch: Batch
    result: Any = None
    reason: str = ""


@dataclass(frozen=True)
class PendingBatch:
    """A batch that a worker has, and the reference of its answer."""

    batch: Batch
    reference: Any


@dataclass(eq=False)
class Worker:
    """An actor, and the batches that it has, in order."""

    actor: Any
    starting: Any
    """The reference of its answer to `ready`; `None` when it is ready."""
    pending: deque[PendingBatch] = field(default_factory=deque)
    since: float = 0.0
    """When it began the first of its batches."""


class Pool:
    """Workers of one kind. `make` creates an actor with `ready() -> Identity | EngineUnavailable`, `do(tasks, payload)`
    and `close()`."""

    def __init__(self, make: Callable[[], Any], options: PoolOptions) -> None:
        self.make = make
        self.options = options
        self.workers: list[Worker] = []
        self.identity: Identity | None = None
        self.restarts = 0
        self.failed_starts = 0
        self._retries: deque[Batch] = deque()

    def start(self) -> Identity:
        """Starts workers and waits for the first; returns the identity of its engine."""
        if not self.workers:
            for _ in range(self.options.workers or 1):
                self._start_worker()
        self.wait(1)
        assert self.identity is not None
        return self.identity

    def wait(self, count: int) -> None:
        """Waits until so many workers are ready."""
        next_message = time.monotonic() + TELL_SECONDS
        while self.ready_workers < count:
            self._step(WAIT_SECONDS)
            if time.monotonic() > next_message:
                next_message = time.monotonic() + TELL_SECONDS
                log.warning("no worker is ready yet; each needs a node with %g free CPUs", self.options.cpus)

    def run(self, batches: Iterable[Batch], payload: Callable[[Batch], Any]) -> Iterator[Outcome]:
        """Does the batches, in any order. `payload` gives what a worker needs for one, when it is its turn."""
        waiting = iter(batches)
        is_exhausted = False
        while True:
            for worker in self.workers:
                while worker.starting is None and len(worker.pending) < self.options.depth:
                    batch = self._retries.popleft() if self._retries else next(waiting, None)
                    if batch is None:
                        is_exhausted = True
                        break
                    self._submit(worker, batch, payload(batch))
            if is_exhausted and not self._retries and not any(worker.pending for worker in self.workers):
                return
            yield from self._step(WAIT_SECONDS)

    @property
    def ready_workers(self) -> int:
        return sum(worker.starting is None for worker in self.workers)

    def close(self) -> None:
        # a killed actor runs no exit handlers; a busy one would answer only after its batches
        idle = [worker for worker in self.workers if worker.starting is None and not worker.pending]
        with contextlib.suppress(RayError):
            if closing := [worker.actor.close.remote() for worker in idle]:
                ray.wait(closing, num_returns=len(closing), timeout=CLOSE_SECONDS)
        for worker in self.workers:
            with contextlib.suppress(RayError):
                ray.kill(worker.actor)
        self.workers.clear()

    def _start_worker(self) -> None:
        actor = self.make()
        self.workers.append(Worker(actor, actor.ready.remote()))

    def _submit(self, worker: Worker, batch: Batch, payload: Any) -> None:
        try:
            reference = worker.actor.do.remote(batch.tasks, payload)
        except RayActorError as error:
            self._retries.append(batch)
            self._await_restart(worker, str(error))
            return
        if not worker.pending:
            worker.since = time.monotonic()
        worker.pending.append(PendingBatch(batch, reference))

    def _step(self, seconds: float) -> list[Outcome]:
        """Waits for answers, and returns the outcomes among them."""
        references = [pending.reference for worker in self.workers for pending in worker.pending]
        references += [worker.starting for worker in self.workers if worker.starting is not None]
        if not references:
            raise PoolError("there are no workers")
        done, _ = ray.wait(references, num_returns=1, timeout=seconds, fetch_local=False)
        if done and len(references) > 1:
            done, _ = ray.wait(references, num_returns=len(references), timeout=0, fetch_local=False)
        answered = set(done)
        outcomes: list[Outcome] = []
        for worker in list(self.workers):
            if worker.starting in answered:
                self._started(worker)
            else:
                outcomes.extend(self._collect_results(worker, answered))
        self._restart_late()
        return outcomes

    def _started(self, worker: Worker) -> None:
        """Takes the answer to `ready`."""
        reference, worker.starting = worker.starting, None
        try:
            identity = ray.get(reference)
            if isinstance(identity, EngineUnavailable):
                raise identity
            if self.identity is None:
                self.identity = identity
            elif identity != self.identity:
                raise EngineUnavailable(f"a node has {identity}, expected {self.identity}")
        except EngineUnavailable as error:
            # a replacement would find no engine either, if no worker has found one yet
            self._remove_worker(worker, str(error), is_replaced=self.identity is not None)
            return
        except RayError as error:
            self._remove_worker(worker, reason_of(error))
            return
        self.failed_starts = 0
        # one more waits for room, until a node joins
        if self.options.workers is None and all(other.starting is None for other in self.workers):
            self._start_worker()

    def _remove_worker(self, worker: Worker, reason: str, is_replaced: bool = True) -> None:
        """Removes a worker that cannot start, and starts another in its place. Ends the run if no worker is left."""
        self.workers.remove(worker)
        with contextlib.suppress(RayError):
            ray.kill(worker.actor)
        self.failed_starts += 1
        are_too_many = self.failed_starts >= MAX_FAILED_STARTS
        if not self.ready_workers and (are_too_many or not (is_replaced or self.workers)):
            raise PoolError(reason)
        log.warning("a worker cannot start: %s", reason)
        if is_replaced and not are_too_many:
            self._start_worker()

    def _collect_results(self, worker: Worker, done: set[Any]) -> list[Outcome]:
        """Takes the answers to a worker's batches in order. If it ended, it did so in the first without a result."""
        outcomes = []
        while worker.pending and worker.pending[0].reference in done:
            pending = worker.pending.popleft()
            worker.since = time.monotonic()
            try:
                outcomes.append(Outcome(pending.batch, ray.get(pending.reference)))
            except RayTaskError as error:
                outcomes.extend(self._failed(pending.batch, f"failed {MAX_ATTEMPTS} times: {reason_of(error)}"))
            except RayError as error:
                reason = reason_of(error)
                self._retries.extend(behind.batch for behind in worker.pending)
                worker.pending.clear()
                self._await_restart(worker, reason)
                outcomes.extend(self._failed(pending.batch, f"no worker survives it: {reason}"))
        return outcomes

    def _failed(self, batch: Batch, reason: str) -> list[Outcome]:
        batch = replace(batch, attempts=batch.attempts + 1)
        if batch.attempts < MAX_ATTEMPTS:
            self._retries.append(batch)
        elif len(batch.tasks) > 1:
            self._retries.extend(batch.halves())
        else:
            return [Outcome(batch, reason=reason)]
        return []

    def _await_restart(self, worker: Worker, reason: str) -> None:
        """Waits for Ray to restart a worker; meanwhile it gets no batches."""
        if worker.starting is None and worker in self.workers:
            self.restarts += 1
            log.info("a worker is restarted: %s", reason)
            worker.starting = worker.actor.ready.remote()

    def _restart_late(self) -> None:
        """Ends workers that take too long; their batches fail, and Ray restarts them."""
        now = time.monotonic()
        for worker in self.workers:
            if worker.pending and worker.starting is None and now - worker.since > self.options.batch_seconds:
                log.warning("a worker took more than %.0f s for a batch", self.options.batch_seconds)
                worker.since = now
                with contextlib.suppress(RayError):
                    ray.kill(worker.actor, no_restart=False)


def reason_of(error: BaseException) -> str:
    """The event as a line."""
    cause = getattr(error, "cause", None) or error
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    # the last line of an exception in a worker is the exception; the first of Ray's own errors names the process
    # that ended
    is_exception = isinstance(error, RayTaskError) or "creation task" in str(error)
    text = (lines[-1] if is_exception else lines[0]) if lines else ""
    return text if is_exception and cause is error else f"{type(cause).__name__}: {text}"
