"""`tune`: SPSA finds the best place of games that follow a known strength, and goes on where it stopped."""

from __future__ import annotations

import argparse
import json
import math
import random
from dataclasses import replace
from pathlib import Path

import pytest

from kifuwarabe_cluster.cli import main
from kifuwarabe_cluster.engine import Identity
from kifuwarabe_cluster.match import Conditions, Score
from kifuwarabe_cluster.tune import Parameter, Tuner, parameter

CONDITIONS = Conditions("9", 7, "chinese", 4)


def test_steps_lead_to_the_strongest_values() -> None:
    parameters = (Parameter("Cpuct", 0, 4, 0.5), Parameter("NetRave", 0, 1000, 900))
    tuner = Tuner(parameters, 400, 16, 100, CONDITIONS, 1)
    best = [1.6, 300.0]
    rng = random.Random(3)

    def strength(values: dict[str, float]) -> float:
        off = [
            (values[parameter.name] - value) / (parameter.high - parameter.low)
            for parameter, value in zip(parameters, best, strict=True)
        ]
        return -1200 * sum(part * part for part in off)

    place = [parameter.scaled_start for parameter in parameters]
    for step in range(1, 401):
        plus, minus = tuner.sides(place, step)
        win = 1 / (1 + math.pow(10, (strength(minus) - strength(plus)) / 400))
        won = sum(rng.random() < win for _ in range(32))
        place = tuner.moved(place, step, Score(won, 32 - won, 0))
    found = tuner.values(place)
    assert abs(found["Cpuct"] - 1.6) < 0.5 and abs(found["NetRave"] - 300) < 125, found


def test_values_stay_within_their_bounds_and_draws_move_nothing() -> None:
    tuner = Tuner((Parameter("Cpuct", 0.2, 3, 3),), 10, 1, 100, CONDITIONS, 1)
    plus, minus = tuner.sides([1.0], 1)
    assert all(0.2 <= side["Cpuct"] <= 3 for side in (plus, minus)) and plus != minus
    assert tuner.moved([0.4], 1, Score(0, 0, 2)) == [0.4] == tuner.moved([0.4], 1, Score(0, 0, 0))
    sign = tuner.signs(1)[0]
    assert (tuner.moved([0.4], 1, Score(2, 0, 0))[0] - 0.4) * sign == pytest.approx(0.1)
    assert 0 <= tuner.moved([0.01], 1, Score(0, 2, 0))[0] <= 0.11


def test_parameters_are_checked() -> None:
    assert parameter("Cpuct:0.2:3:1") == Parameter("Cpuct", 0.2, 3, 1)
    for text in ("Cpuct", "Cpuct:1:2", "Cpuct:2:1:1.5", "Cpuct:0:1:2", "Cpuct:a:b:c", ":0:1:0.5"):
        with pytest.raises(argparse.ArgumentTypeError):
            parameter(text)


def test_tunings_are_named_by_options_and_engine() -> None:
    tuner = Tuner((Parameter("Cpuct", 0.2, 3, 3),), 10, 1, 100, CONDITIONS, 1)
    one, two = (Identity("Kifuwarabe UEC14", version, "none", "c") for version in "12")
    names = [tuner.name(one), tuner.name(two), replace(tuner, final_pairs=1).name(one)]
    assert len({*names, replace(tuner, settings=("Search.Threads=2",)).name(one)}) == 4


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_a_tuning_goes_on_from_the_games_that_are_there(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["tune", "--parameter", "UctExploration:0:2:0.5", "--games", "2", "--visits", "4", "--size", "5"]
    words += ["--final-games", "2", "--engine", engine, "--set", "Net.Use=false", "--quiet", "--out", str(tmp_path)]
    assert main([*words, "--iterations", "2"]) == 0
    (result,) = tmp_path.glob("tune-*.json")
    found = json.loads(result.read_text())
    assert len(found["steps"]) == 2 and set(found["values"]) == {"UctExploration"}
    assert sum(found["final"].values()) == 2 and found["identity"]["program"] == "Kifuwarabe UEC14"
    played = {path: path.stat().st_mtime_ns for path in tmp_path.glob("match/*/*.parquet")}
    assert len(played) == 3
    assert main([*words, "--iterations", "2"]) == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("match/*/*.parquet")} == played
    assert json.loads(result.read_text()) == found
    assert "--set Search.UctExploration=" in capsys.readouterr().out
    # a step whose games cannot be played ends the tuning with the reason
    words[2] = "Nonsense:0:2:1"
    assert main([*words, "--iterations", "2"]) == 1
    assert "Nonsense" in capsys.readouterr().err
