"""The pool: every batch is done, a bounded number is in flight, and what ends workers is listed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import ray

from kifuwarabe_cluster.engine import EngineUnavailable, Identity
from kifuwarabe_cluster.pool import Pool, PoolError, PoolOptions
from kifuwarabe_cluster.tasks import Batch

IDENTITY = Identity("fake", "1", "none", "c")
pytestmark = pytest.mark.usefixtures("local_ray")


class Worker:
    """Does tasks by their names."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    @ray.method(max_task_retries=-1)
    def ready(self) -> Identity | EngineUnavailable:
        return IDENTITY

    def close(self) -> None:
        (self.folder / "closed").touch()

    def do(self, tasks: Sequence[str], payload: Any) -> list[str]:
        for task in tasks:
            if task == "kill":
                os._exit(1)
            if task == "kill once" and not (self.folder / "killed").exists():
                (self.folder / "killed").touch()
                os._exit(1)
            if task == "raise":
                raise ValueError("a bad task")
            if task == "hang once" and not (self.folder / "hung").exists():
                (self.folder / "hung").touch()
                time.sleep(600)
        return [f"{task} {payload}" for task in tasks]


class Broken(Worker):
    def __init__(self, folder: str) -> None:
        raise ValueError("no folder")


class WithoutEngine(Worker):
    """Finds no engine."""

    @ray.method(max_task_retries=-1)
    def ready(self) -> Identity | EngineUnavailable:
        with (self.folder / "started").open("a") as file:
            file.write("x")
        return EngineUnavailable("node x: no program kifuwarabe-uec14")


class OneWithoutEngine(Worker):
    """The first one that is asked finds no engine."""

    @ray.method(max_task_retries=-1)
    def ready(self) -> Identity | EngineUnavailable:
        try:
            (self.folder / "first").touch(exist_ok=False)
        except FileExistsError:
            return IDENTITY
        return EngineUnavailable("node x: no program kifuwarabe-uec14")


MakePool = Callable[..., Pool]


@pytest.fixture
def make_pool(tmp_path: Path) -> Iterator[MakePool]:
    pools: list[Pool] = []

    def make(kind: type[Worker] = Worker, **options: Any) -> Pool:
        remote: Any = ray.remote(num_cpus=1, max_restarts=-1)(kind)
        pools.append(Pool(lambda: remote.remote(str(tmp_path)), PoolOptions(**options)))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def done(pool: Pool, *batches: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """The answers to all tasks, and the tasks without one with their reasons; both in order."""
    pool.start()
    outcomes = list(pool.run((Batch(tuple(batch)) for batch in batches), lambda batch: len(batch.tasks)))
    answers = sorted(answer for outcome in outcomes for answer in outcome.result or [])
    return answers, sorted((outcome.batch.tasks[0], outcome.reason) for outcome in outcomes if outcome.reason)


def test_every_batch_is_done_once(make_pool: MakePool) -> None:
    batches = [[f"{number:03}"] for number in range(200)]
    assert done(make_pool(), *batches) == ([f"{number:03} 1" for number in range(200)], [])


def test_workers_are_closed_with_their_pool(make_pool: MakePool, tmp_path: Path) -> None:
    pool = make_pool(workers=1)
    done(pool, ["a"])
    assert not (tmp_path / "closed").exists()
    pool.close()
    assert (tmp_path / "closed").exists()


def test_a_bounded_number_of_batches_is_taken_ahead(make_pool: MakePool) -> None:
    pool = make_pool(workers=2, depth=2)
    pool.start()
    taken = landed = most = 0

    def endless() -> Iterator[Batch]:
        nonlocal taken, most
        for number in range(1000):
            taken += 1
            most = max(most, taken - landed)
            yield Batch((str(number),))

    for _ in pool.run(endless(), lambda _: None):
        landed += 1
    # two for each worker, and those that landed together
    assert (taken, landed) == (1000, 1000) and most <= 2 * 2 * 2


def test_batches_of_a_worker_that_ends_are_done_by_another(make_pool: MakePool) -> None:
    pool = make_pool(workers=2)
    assert done(pool, ["a"], ["kill once", "b"], ["c"], ["d"]) == (["a 1", "b 2", "c 1", "d 1", "kill once 2"], [])
    assert pool.restarts == 1


@pytest.mark.slow
def test_a_task_that_ends_every_worker_is_found_and_listed(make_pool: MakePool) -> None:
    answers, failed = done(make_pool(workers=2), ["a", "b", "kill", "c"], ["d"], ["e", "raise"])
    assert [answer.split()[0] for answer in answers] == ["a", "b", "c", "d", "e"]
    assert [task for task, _ in failed] == ["kill", "raise"]
    assert "no worker survives it" in failed[0][1] and failed[1][1] == "failed 3 times: ValueError: a bad task"


@pytest.mark.slow
def test_a_worker_that_takes_too_long_is_restarted(make_pool: MakePool) -> None:
    pool = make_pool(workers=1, batch_seconds=3.0)
    assert done(pool, ["a"], ["hang once"], ["b"]) == (["a 1", "b 1", "hang once 1"], [])


def test_workers_that_cannot_start_end_the_run_with_the_reason(make_pool: MakePool) -> None:
    with pytest.raises(PoolError, match="no folder"):
        make_pool(Broken).start()


def test_a_worker_without_an_engine_ends_the_run_at_once(
    make_pool: MakePool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(PoolError, match=r"^node x: no program kifuwarabe-uec14$"):
        make_pool(WithoutEngine).start()
    assert (tmp_path / "started").read_text() == "x" and not caplog.messages


def test_other_workers_go_on_without_one_that_has_no_engine(make_pool: MakePool) -> None:
    assert done(make_pool(OneWithoutEngine, workers=2), ["a"], ["b"]) == (["a 1", "b 1"], [])
