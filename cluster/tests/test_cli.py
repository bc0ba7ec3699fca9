"""Options: what is passed to Ray and to engines, and mistakes, which have one line."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import pytest
import ray

from kifuwarabe_cluster.cli import cluster, engine_options, main, match_engine_options, parser
from kifuwarabe_cluster.progress import counted

NODE = os.uname().nodename


def options(*words: str) -> argparse.Namespace:
    return parser().parse_args(["selfplay", "--out", "out", "--games", "1", *words])


def test_without_an_address_no_running_cluster_is_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    started: dict[str, Any] = {}
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", lambda **given: started.update(given))
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    for words, address in (((), "local"), (("--address", "auto"), "auto")):
        with cluster(options(*words)):
            assert started["address"] == address


def test_paths_of_this_machine_are_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = engine_options(options("--engine", "bin/engine", "--net", "n.bin.gz"))
    assert (found.engine, found.net) == (str(tmp_path / "bin/engine"), str(tmp_path / "n.bin.gz"))
    found = engine_options(options("--ship-engine", "bin/engine", "--ship-net", "nets/n.bin.gz"))
    assert (found.engine, found.net, found.ships_engine) == (None, "n.bin.gz", True)


def test_engines_of_matches_have_their_threads_and_no_logs() -> None:
    found = match_engine_options(options("--threads", "3", "--set", "Search.Threads=2")).settings
    assert found == ("Paths.PlainTextLog=", "Paths.JsonLog=", "Search.Threads=3", "Search.Threads=2")


@pytest.mark.usefixtures("local_ray")
def test_mistakes_have_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    match = ["match", "--games", "2", "--out", str(tmp_path / "out")]
    for words, expected in (
        (["selfplay", "--games", "1", "--out", "s4://bucket/out"], "s4://bucket/out: Protocol not known: s4"),
        (["review", "s4://bucket", "--out", "out"], "s4://bucket: Protocol not known: s4"),
        ([*match, "--a", "gnugo 'x", "--b", "y"], "--a gnugo 'x: No closing quotation"),
        ([*match, "--a", "x", "--b", ""], "--b: expected a command"),
        (["selfplay", "--games", "1", "--out", "out", "--engine", "/absent"], f"node {NODE}: no program /absent"),
    ):
        assert main(words) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert line == f"kifuwarabe-cluster: {expected}"


def test_komi_is_a_number_within_the_limit_of_the_engine(capsys: pytest.CaptureFixture[str]) -> None:
    assert options("--komi", "-6.5").komi == -6.5
    for text in ("nan", "inf", "-inf", "1e7", "seven"):
        with pytest.raises(SystemExit):
            options(f"--komi={text}")
        assert f"--komi: expected -1000000 to 1000000, found '{text}'" in capsys.readouterr().err


def test_one_is_not_plural() -> None:
    assert [counted(number, "pairs") for number in (0, 1, 2)] == ["0 pairs", "1 pair", "2 pairs"]
