#!/usr/bin/env python3
"""Reviews records on a cluster of two nodes while an engine, a worker, a node and the driver are killed, continues, and
compares the rows with those of a run without faults on one worker.

python3 measure/faults.py FOLDER --engine FILE --visits 50
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.dataset as ds
from ray.cluster_utils import Cluster

REVIEW = [sys.executable, "-m", "kifuwarabe_cluster.cli", "review"]


def rows(out: Path) -> pa.Table:
    """All rows of a review, in the order of records and moves."""
    table = ds.dataset([str(path) for path in sorted(out.glob("review/run=*/*.parquet"))]).to_table()
    # tables cannot be sorted by dictionaries
    plain = [pa.string() if pa.types.is_dictionary(field.type) else field.type for field in table.schema]
    schema = pa.schema(list(zip(table.column_names, plain, strict=True)))
    return table.cast(schema).sort_by([("record", "ascending"), ("move_number", "ascending")])


def processes(word: str) -> list[psutil.Process]:
    """The descendants of this process whose command line has a word."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if word in " ".join(process.cmdline()) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def wait_until(is_so: Callable[[], Any], what: str, seconds: float = 120.0) -> Any:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := is_so():
            return found
        time.sleep(0.05)
    raise TimeoutError(f"waited {seconds:.0f} s until {what}")


def review_with_faults(folder: Path, out: Path, options: list[str], note: Callable[[str], None]) -> list[str]:
    """Reviews a folder while everything is killed once; returns what was killed."""
    killed: list[str] = []
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    first, second = (cluster.add_node(num_cpus=1) for _ in range(2))
    command = [*REVIEW, str(folder), "--out", str(out), "--address", cluster.address, *options]

    def files() -> int:
        return len(list(out.glob("review/run=*/*.parquet")))

    def progressed(driver: subprocess.Popen[bytes], count: int) -> None:
        """Waits until more files are there."""
        before = files()
        wait_until(lambda: files() >= before + count or driver.poll() is not None, "files are written")
        if driver.poll() is not None:
            raise RuntimeError(f"the driver ended too early, with {files()} files")

    def kill(what: str, process: psutil.Process) -> None:
        os.kill(process.pid, signal.SIGKILL)
        killed.append(what)
        note(f"killed {what} {process.pid} after {files()} files")

    try:
        driver = subprocess.Popen(command)
        try:
            progressed(driver, 1)
            kill("engine", wait_until(lambda: processes("report --serve"), "an engine runs")[0])
            progressed(driver, 1)
            kill("worker", wait_until(lambda: processes("ray::ReviewWorker"), "a worker runs")[0])
            progressed(driver, 1)
            cluster.remove_node(second, allow_graceful=False)
            killed.append("node")
            note(f"killed a node after {files()} files")
            progressed(driver, 1)
            cluster.add_node(num_cpus=1)
            note("a node joined")
            progressed(driver, 1)
        finally:
            driver.send_signal(signal.SIGKILL)
            driver.wait()
        killed.append("driver")
        note(f"killed the driver after {files()} files; the same command goes on")
        subprocess.run(command, check=True)
    finally:
        cluster.remove_node(first)
        cluster.shutdown()
    return killed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--visits", default="50")
    parser.add_argument("--batch", default="4")
    parser.add_argument("--set", action="append", default=[])
    args = parser.parse_args()
    options = ["--engine", args.engine, "--visits", args.visits, "--batch", args.batch]
    options += [word for setting in args.set for word in ("--set", setting)]
    with tempfile.TemporaryDirectory() as name:
        begin = time.monotonic()
        killed = review_with_faults(args.folder, Path(name, "faults"), options, print)
        print(f"with faults: {time.monotonic() - begin:.0f} s")
        begin = time.monotonic()
        subprocess.run(
            [*REVIEW, str(args.folder), "--out", str(Path(name, "one")), "--workers", "1", *options], check=True
        )
        print(f"without faults, one worker: {time.monotonic() - begin:.0f} s")
        found, expected = rows(Path(name, "faults")), rows(Path(name, "one"))
        keys = found.select(["record", "move_number"]).group_by(["record", "move_number"]).aggregate([])
        print(f"killed: {', '.join(killed)}")
        print(f"{found.num_rows} rows, {keys.num_rows} different positions, {expected.num_rows} expected")
        print("equal, row for row" if found.equals(expected) else "DIFFERENT")
        sys.exit(0 if found.equals(expected) and keys.num_rows == found.num_rows else 1)


if __name__ == "__main__":
    main()
