#!/usr/bin/env python3
"""The throughput of one and two workers against that of the engine alone, in one run on the same records.

Each round reviews the records with one engine process fed by a loop, with one worker, with two such processes at a
time, and with two workers. Ray is started before. Two figures are printed: the ratio of the times, which other programs
on the machine disturb, and the share of a worker's time in which it does not wait for its engine, which they do not.

python3 measure/throughput.py FOLDER --engine FILE --visits 200
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ray

from kifuwarabe_cluster import review
from kifuwarabe_cluster.engine import EngineOptions, ReviewEngine
from kifuwarabe_cluster.pool import Pool, PoolOptions
from kifuwarabe_cluster.run import BatchResult, actors, execute
from kifuwarabe_cluster.store import Store
from kifuwarabe_cluster.tasks import Run


class TimedWorker(review.ReviewWorker):
    """Knows how long it worked, and for how much of that it waited for its engine."""

    def __init__(self, options: EngineOptions, address: str, seconds: float) -> None:
        super().__init__(options, address, seconds)
        # what an engine does once, the one that is alone has done before as well
        self.engine.process.ask('{"id": "v", "action": "query_version"}', seconds)
        self.begin = self.end = 0.0

    def do(self, tasks: Sequence[str], work: tuple[Run, Mapping[str, review.Record]]) -> BatchResult:
        self.begin = self.begin or time.monotonic()
        done = super().do(tasks, work)
        self.end = time.monotonic()
        return done

    def times(self) -> tuple[float, float]:
        return self.engine.seconds, self.end - self.begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--engine", required=True)
    parser.add_argument("--visits", type=int, default=200)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--set", action="append", default=[])
    args = parser.parse_args()
    records = review.Records(args.folder)
    data = [record.data or b"" for record in map(records.record, sorted(records.sources))]
    options = EngineOptions(args.engine, tuple(args.set))
    plan = review.plan(args.visits, 1)
    # Ray gives its workers a lower priority than the engine alone has
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 (Ray spells it so)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")

    def alone(engines: int) -> float:
        made = [ReviewEngine(options) for _ in range(engines)]
        for engine in made:
            engine.process.ask('{"id": "v", "action": "query_version"}', 60)

        def feed(number: int) -> None:
            for record in data[number::engines]:
                made[number].review(record, args.visits, 1, 600)

        begin = time.monotonic()
        with ThreadPoolExecutor(engines) as pool:
            list(pool.map(feed, range(engines)))
        seconds = time.monotonic() - begin
        for engine in made:
            engine.close()
        return seconds

    def workers(count: int) -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as out:
            pool = Pool(actors(TimedWorker, [options, out, 600.0], 1), PoolOptions(workers=count))
            run = plan.run(pool.start())
            pool.wait(count)
            summary = execute(pool, run, Store(out), records.work(args.batch), is_quiet=True)
            times: list[Any] = ray.get([worker.actor.times.remote() for worker in pool.workers])
            pool.close()
            waited, worked = (sum(part) for part in zip(*times, strict=True))
            return summary.seconds, 1 - waited / worked

    ratios: dict[int, list[float]] = {1: [], 2: []}
    shares: dict[int, list[float]] = {1: [], 2: []}
    for number in range(args.rounds):
        for count in (1, 2):
            base = alone(count)
            seconds, share = workers(count)
            ratios[count].append(seconds / base)
            shares[count].append(share)
            print(
                f"round {number + 1}, {count} at a time: engine alone {base:.1f} s, with Ray {seconds:.1f} s, "
                f"ratio {seconds / base:.3f}; of the workers' time {100 * share:.2f}% outside the engine",
                flush=True,
            )
    for count in (1, 2):
        print(
            f"{count} at a time, medians: {100 * (statistics.median(ratios[count]) - 1):+.1f}% by the clock, "
            f"{100 * statistics.median(shares[count]):.2f}% outside the engine"
        )
    ray.shutdown()


if __name__ == "__main__":
    main()
