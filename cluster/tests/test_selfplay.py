"""`selfplay`: the games of one process, whatever the batches and workers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import rows

from kifuwarabe_cluster.cli import main

pytestmark = pytest.mark.usefixtures("local_ray")
SETTINGS = ["--size", "5x6", "--komi", "3.5", "--seed", "9"]


def selfplay(engine: str, out: Path, games: int, *options: str) -> None:
    common = ["--engine", engine, "--set", "Net.Use=false", "--visits", "12", "--quiet"]
    assert main(["selfplay", "--out", str(out), "--games", str(games), *SETTINGS, *common, *options]) == 0


def test_games_are_those_of_one_process(engine: str, tmp_path: Path) -> None:
    command = [engine, "--set", "Net.Use=false", "selfplay", "--out", "games.jsonl", "--games", "7", *SETTINGS]
    subprocess.run([*command, "--visits", "12"], cwd=tmp_path, check=True, capture_output=True)
    games = sorted(map(json.loads, (tmp_path / "games.jsonl").read_text().splitlines()), key=lambda game: game["game"])
    selfplay(engine, tmp_path / "one", 7, "--batch", "7", "--workers", "1")
    selfplay(engine, tmp_path / "two", 7, "--batch", "2")
    found = rows(tmp_path / "one", "selfplay")
    assert found == rows(tmp_path / "two", "selfplay")
    for number, game in enumerate(games):
        positions = [row for row in found if row["game"] == number]
        assert [row["played"] for row in positions] == game["moves"]
        assert [row["move_number"] for row in positions] == list(range(len(game["moves"])))
        visits = [[[pair["place"], pair["visits"]] for pair in row["visits"]] for row in positions]
        assert visits == game["visits"]
        for row in positions:
            assert (row["ownership"], row["winner"], row["margin"]) == (
                game["ownership"],
                game["winner"],
                game["margin"],
            )
            assert (row["width"], row["height"], row["komi"], row["playouts"], row["seed"]) == (5, 6, 3.5, 12, 9)


@pytest.mark.slow
def test_more_games_are_added_to_those_that_are_there(engine: str, tmp_path: Path) -> None:
    selfplay(engine, tmp_path / "out", 3, "--batch", "2")
    before = {path.name for path in (tmp_path / "out").glob("selfplay/run=*/*.parquet")}
    selfplay(engine, tmp_path / "out", 6, "--batch", "2")
    assert before < {path.name for path in (tmp_path / "out").glob("selfplay/run=*/*.parquet")}
    selfplay(engine, tmp_path / "all", 6, "--batch", "3")
    assert rows(tmp_path / "out", "selfplay") == rows(tmp_path / "all", "selfplay")
    assert {row["game"] for row in rows(tmp_path / "out", "selfplay")} == set(range(6))
