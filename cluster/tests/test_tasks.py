"""Names of runs and tasks, and their batches."""

from __future__ import annotations

from dataclasses import replace

from kifuwarabe_cluster.engine import Identity
from kifuwarabe_cluster.tasks import MAX_SEED, Batch, Plan, batches, digest, sides

IDENTITY = Identity("Kifuwarabe UEC14", "0.16.0", "none", "c")
PLAN = Plan("review", {"visits": 50}, 1)


def test_a_run_is_named_by_all_that_its_rows_depend_on() -> None:
    run = PLAN.run(IDENTITY)
    assert run.name == PLAN.run(IDENTITY).name
    others = [
        replace(PLAN, seed=2).run(IDENTITY),
        replace(PLAN, settings={"visits": 51}).run(IDENTITY),
        replace(PLAN, kind="selfplay").run(IDENTITY),
        *(PLAN.run(replace(IDENTITY, **{name: "x"})) for name in ("program", "version", "net", "configuration")),
    ]
    assert len({run.name, *(other.name for other in others)}) == 8


def test_seeds_differ_by_task_and_run_and_are_none_that_draws_one() -> None:
    run, other = PLAN.run(IDENTITY), replace(PLAN, seed=2).run(IDENTITY)
    tasks = [digest(str(number).encode()) for number in range(1000)]
    seeds = [run.seed_of(task) for task in tasks]
    assert len(set(seeds)) == 1000 and all(1 <= seed <= MAX_SEED for seed in seeds)
    assert not set(seeds) & {other.seed_of(task) for task in tasks}


def test_batches_hold_every_task_once() -> None:
    tasks = [str(number) for number in range(23)]
    found = list(batches(tasks, 5, set(), set()))
    assert [len(batch.tasks) for batch in found] == [5, 5, 5, 5, 3]
    assert [task for batch in found for task in batch.tasks] == tasks
    assert len({batch.name for batch in found}) == 5


def test_batches_are_the_same_at_any_time() -> None:
    tasks = [str(number) for number in range(23)]
    all_of_them = list(batches(tasks, 5, set(), set()))
    stored = {all_of_them[1].name, all_of_them[3].name}
    left = [all_of_them[number] for number in (0, 2, 4)]
    # whether the tasks of stored batches are known to be done or not
    assert list(batches(tasks, 5, stored, set())) == left
    assert list(batches(tasks, 5, stored, {*all_of_them[1].tasks, *all_of_them[3].tasks})) == left


def test_tasks_done_in_other_batches_are_left_out() -> None:
    tasks = [str(number) for number in range(10)]
    left = list(batches(tasks, 5, set(), {"1", "2", "5", "6", "7", "8", "9"}))
    assert [batch.tasks for batch in left] == [("0", "3", "4")]


def test_a_batch_is_halved_into_all_of_its_tasks() -> None:
    batch = Batch(("a", "b", "c"), attempts=2)
    assert [(half.tasks, half.attempts) for half in batch.halves()] == [(("a",), 0), (("b", "c"), 0)]


def test_sizes_of_boards() -> None:
    assert (sides(9), sides("9"), sides("9x13")) == ((9, 9), (9, 9), (9, 13))
