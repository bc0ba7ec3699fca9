#!/usr/bin/env python3
"""The limit of the scheduler: tasks that cost nothing, on two workers, through the same driver as a review.

python3 measure/scheduler.py --tasks 1000000 --batch 16              tasks without rows
python3 measure/scheduler.py --tasks 100000 --batch 16 --rows 60     with rows, made into Parquet files and written
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Sequence
from typing import Any

import psutil
import pyarrow as pa
import ray

from kifuwarabe_cluster.engine import EngineOptions, Identity
from kifuwarabe_cluster.pool import Pool, PoolOptions
from kifuwarabe_cluster.review import SCHEMA, rows
from kifuwarabe_cluster.run import BatchResult, BatchWorker, Metrics, actors, execute, numbered
from kifuwarabe_cluster.store import Store
from kifuwarabe_cluster.tasks import Batch, Plan, Run

IDENTITY = Identity("zero-cost engine", "0", "none", "none")


class ZeroCostWorker(BatchWorker):
    """Has the answer to every task at once."""

    schema = SCHEMA

    def __init__(self, options: EngineOptions, address: str, count: int) -> None:
        self.options, self.store, self.metrics = options, Store(address), Metrics()
        self.seconds = 0.0
        position = {
            "toMove": "black", "winRate": 0.5, "lead": 0.25, "variation": ["D4", "E5", "C3"], "candidates": [1],
            "played": {
                "move": "D4", "winRateLost": 0.01, "pointsLost": 0.5, "accuracy": 95.1, "phase": "opening",
                "class": None,
            },
        }  # fmt: skip
        self.answer = {
            "black": "a", "white": "b", "result": "B+R", "rules": "chinese", "komi": 7.0, "width": 9, "height": 9,
            "visits": 50, "version": "0", "positions": [{"number": number, **position} for number in range(count)],
        }  # fmt: skip

    def identify(self) -> Identity:
        return IDENTITY

    def rows(self, run: Run, tasks: tuple[str, ...], payload: Any) -> tuple[pa.Table, Sequence[str]]:
        return rows(self.answer, tasks[0], "a.sgf", 1, "none"), ()

    def do(self, tasks: Sequence[str], work: tuple[Run, Any]) -> BatchResult:
        # without rows there is no file either, so that nothing but the scheduler is measured
        if self.answer["positions"]:
            return super().do(tasks, work)
        return BatchResult(Batch(tuple(tasks)), 0, (), (), None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    ray.init(num_cpus=args.workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    with tempfile.TemporaryDirectory() as out:
        pool = Pool(actors(ZeroCostWorker, [EngineOptions(), out, args.rows], 1), PoolOptions(workers=args.workers))
        run = Plan("review", {"visits": 0}, 1).run(pool.start())
        before = psutil.Process().memory_info().rss
        begin = time.process_time()
        summary = execute(pool, run, Store(out), numbered(args.tasks, args.batch, "tasks", "record"))
        processor = time.process_time() - begin
        after = psutil.Process().memory_info().rss
        pool.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{summary.tasks} tasks in batches of {args.batch}, {summary.rows} rows, {args.workers} workers: "
        f"{summary.seconds:.1f} s, {summary.tasks / summary.seconds:.0f} tasks/s, "
        f"{summary.tasks / args.batch / summary.seconds:.0f} batches/s, {summary.rows / summary.seconds:.0f} rows/s; "
        f"driver: {processor:.1f} s of processor time, "
        f"{before >> 20} MiB before, {after >> 20} MiB after, {peak:.0f} MiB peak"
    )
    ray.shutdown()


if __name__ == "__main__":
    main()
