"""Programs and records that tests share. A test whose program is absent prints SKIPPED with the reason."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest
import ray

REPOSITORY = Path(__file__).parents[2]
WITHOUT_NET = ["--set", "Net.Use=false"]


ROW_KEYS = {"review": ("record", "move_number"), "selfplay": ("game", "move_number"), "match": ("pair", "game")}


def rows(out: Path, kind: str) -> list[dict[str, Any]]:
    """All rows of the runs of a kind, in order."""
    files = [str(path) for path in sorted(out.glob(f"{kind}/run=*/*.parquet"))]
    found: list[dict[str, Any]] = ds.dataset(files).to_table().to_pylist()
    return sorted(found, key=lambda row: [row[key] for key in ROW_KEYS[kind]])


@pytest.fixture(scope="session")
def engine() -> str:
    """The engine: KIFUWARABE_ENGINE, or one that was built, or the one on the PATH."""
    built = [REPOSITORY / "target" / profile / "kifuwarabe-uec14" for profile in ("release", "debug")]
    named = os.environ.get("KIFUWARABE_ENGINE")
    newest = sorted((path for path in built if path.is_file()), key=lambda path: path.stat().st_mtime)
    found = named or (str(newest[-1]) if newest else None) or shutil.which("kifuwarabe-uec14")
    if found is None:
        pytest.skip("SKIPPED: there is no kifuwarabe-uec14")
    return found


def sgf(game: dict[str, object], number: int) -> str:
    """A game of self-play as a record."""
    moves = game["moves"]
    assert isinstance(moves, list)
    text = "".join(f";{move[0]}[{'' if move[1] == '.' else move[1:]}]" for move in moves)
    players = f"PB[player {number % 3}]PW[player {(number + 1) % 3}]"
    return f"(;GM[1]SZ[{game['size']}]KM[{game['komi']}]RU[Chinese]{players}RE[{game['winner']}+R]{text})"


@pytest.fixture(scope="session")
def records(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of twelve games on 7x7."""
    folder = tmp_path_factory.mktemp("records")
    command = [engine, *WITHOUT_NET, "selfplay", "--out", "games.jsonl", "--games", "12", "--size", "7", "--komi", "9"]
    subprocess.run([*command, "--visits", "20", "--seed", "5"], cwd=folder, check=True, capture_output=True)
    lines = (folder / "games.jsonl").read_text().splitlines()
    for number, game in enumerate(map(json.loads, sorted(lines))):
        path = folder / ("club" if number % 2 else "league") / f"{number}.sgf"
        path.parent.mkdir(exist_ok=True)
        path.write_text(sgf(game, number))
    return folder


@pytest.fixture(scope="session")
def local_ray() -> Iterator[None]:
    """Ray on this machine, with two CPUs."""
    # workers import what tests define
    path = os.pathsep.join(map(str, (Path(__file__).parent, REPOSITORY / "cluster")))
    # the lower priority that Ray gives its workers would make tests slow on a busy machine
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 (Ray spells it so)
    environment = {"env_vars": {"PYTHONPATH": path}}
    for attempt in range(3):
        try:
            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)
            break
        except Exception as error:
            # on a machine that is busy, Ray does not start within its own limit of 30 s
            if attempt == 2 or "timed out" not in str(error):
                raise
            ray.shutdown()
    yield
    ray.shutdown()
