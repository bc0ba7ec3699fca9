"""A review during which an engine, a worker, a node and the driver are killed has the rows of one without faults."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kifuwarabe_cluster.cli import main

sys.path.insert(0, str(Path(__file__).parents[1] / "measure"))
from faults import review_with_faults, rows


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_faults_change_no_row(engine: str, records: Path, tmp_path: Path) -> None:
    options = ["--visits", "600", "--batch", "1", "--set", "Net.Use=false", "--quiet"]
    killed = review_with_faults(records, tmp_path / "faults", ["--engine", engine, *options], print)
    assert killed == ["engine", "worker", "node", "driver"]
    assert (
        main(["review", str(records), "--out", str(tmp_path / "one"), "--workers", "1", "--engine", engine, *options])
        == 0
    )
    found, expected = rows(tmp_path / "faults"), rows(tmp_path / "one")
    assert found.equals(expected) and found.num_rows > 100
    keys = found.select(["record", "move_number"]).group_by(["record", "move_number"]).aggregate([])
    assert keys.num_rows == found.num_rows
