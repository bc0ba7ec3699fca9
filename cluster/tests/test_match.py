"""`match`: colours, openings, the referee, and the win rate."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from conftest import rows

from kifuwarabe_cluster.cli import main
from kifuwarabe_cluster.engine import Identity
from kifuwarabe_cluster.match import Conditions, Score, plan

SEEDED = "{engine} --set Search.Seed={seed} --set Search.MaxVisits="
FAKE = """
import sys
answers = dict(name="fake", version="1", list_commands="play", genmove=sys.argv[1])
refused = sys.argv[2:]
for line in sys.stdin:
    word = line.split()[0]
    print("? no" if word in refused else "= " + answers.get(word, ""), end="\\n\\n", flush=True)
"""


def match(engine: str, out: Path, a: str, b: str, games: int, *options: str) -> int:
    common = ["--engine", engine, "--set", "Net.Use=false", "--size", "5", "--opening", "2", "--quiet"]
    return main(["match", "--out", str(out), "--a", a, "--b", b, "--games", str(games), *common, *options])


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_each_opening_is_played_with_both_colours(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = (SEEDED + "30", SEEDED + "2", 6)
    assert match(engine, tmp_path / "one", *options, "--workers", "1", "--batch", "3") == 0
    output = capsys.readouterr().out
    assert match(engine, tmp_path / "two", *options, "--batch", "1") == 0
    found = rows(tmp_path / "one", "match")
    assert found == rows(tmp_path / "two", "match")
    assert [(row["pair"], row["game"], row["black"]) for row in found] == [
        (pair, game, "ab"[game]) for pair in range(3) for game in range(2)
    ]
    for first, second in zip(found[::2], found[1::2], strict=True):
        assert first["moves"][:2] == second["moves"][:2] and first["moves"] != second["moves"]
    assert len({tuple(row["moves"][:2]) for row in found}) > 1
    for row in found:
        assert row["result"][:1].lower() in "bw0"
        colour = row["result"][:1].lower()
        assert row["winner"] == (
            "" if colour == "0" else row["black"] if colour == "b" else "ba"["ab".index(row["black"])]
        )
    won = sum(row["winner"] == "a" for row in found)
    assert f"a won {won}, lost" in output and "95% interval" in output
    # a longer match keeps the games that there are
    assert match(engine, tmp_path / "one", *options[:2], 8, "--batch", "3") == 0
    assert rows(tmp_path / "one", "match")[:6] == found and len(rows(tmp_path / "one", "match")) == 8


@pytest.mark.usefixtures("local_ray")
def test_illegal_moves_and_resignations_lose(engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fake.py").write_text(FAKE)
    for move, reason in (("Z9", "illegal move"), ("resign", "resignation")):
        out = tmp_path / move
        fake = f"{sys.executable} {tmp_path}/fake.py {move}"
        assert match(engine, out, fake, "{engine} --set Search.MaxVisits=2", 2, "--opening", "50") == 0
        assert capsys.readouterr().out.startswith("1 pair in ")
        assert [row["winner"] for row in rows(out, "match")] == ["b", "b"]
        assert all(row["reason"].startswith(reason) for row in rows(out, "match"))
        first, second = rows(out, "match")
        assert first["name_a"] == "fake 1"
        # the first line is left out, so there are no more than nine points to draw; one game has a move of b after them
        assert first["opening"] == second["opening"] <= 9


@pytest.mark.usefixtures("local_ray")
def test_refusals_of_legal_moves_and_of_genmove_lose(engine: str, tmp_path: Path) -> None:
    (tmp_path / "fake.py").write_text(FAKE)
    for move, refused, reason in (("A1", "play", "refused move"), ("A1", "genmove", "no move")):
        out = tmp_path / refused
        fake = f"{sys.executable} {tmp_path}/fake.py {move} {refused}"
        assert match(engine, out, fake, "{engine} --set Search.MaxVisits=2", 2, "--opening", "0") == 0
        assert [row["winner"] for row in rows(out, "match")] == ["b", "b"]
        assert all(row["reason"].startswith(reason) for row in rows(out, "match"))


@pytest.mark.usefixtures("local_ray")
def test_programs_and_rules_are_tried_before_the_first_game(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = "{engine} --set Search.MaxVisits=2"
    for a, b, rules, expected in (
        ("/absent/program", good, "chinese", "/absent/program: node .* No such file or directory: '/absent/program'$"),
        (good, "{engine} --nosuch", "chinese", r"{engine} --nosuch: the engine ended \(exit code 2\): .*'--nosuch'"),
        (good, good, "nonsense", "{engine}: kata-set-rules nonsense: "),
    ):
        assert match(engine, tmp_path, a, b, 4, "--rules", rules) == 1
        output = capsys.readouterr()
        (line,) = output.err.splitlines()
        assert re.match(f"kifuwarabe-cluster: {expected}", line), line
        assert not output.out and not list(tmp_path.iterdir())


def test_a_match_is_named_by_the_settings_of_its_engine() -> None:
    identity = Identity("Kifuwarabe UEC14", "0", "none", "c")
    conditions = Conditions("9", 7, "chinese", 4)
    runs = [plan("a", "b", conditions, (f"Search.Threads={n}",), 1).run(identity) for n in (1, 1, 2)]
    assert runs[0].name == runs[1].name != runs[2].name


def test_intervals_are_wilsons() -> None:
    # 56 of 60, as README.md has it
    low, high = Score(56, 4, 0).interval()
    assert (round(100 * low), round(100 * high)) == (84, 97)
    assert Score(24, 26, 10).rate == 29 / 60
    assert [round(100 * bound) for bound in Score(24, 26, 10).interval()] == [36, 61]
    assert Score(0, 0, 0).interval() == (0.0, 1.0)
    assert "100.0%" in Score(5, 0, 0).text() and "unknown" in Score(5, 0, 0).text()
    assert "Elo +0, " in Score(5, 5, 0).text()


@pytest.mark.usefixtures("local_ray")
def test_an_odd_number_of_games_is_refused(engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert match(engine, tmp_path, "x", "y", 3) == 1
    assert "--games 3: expected an even number" in capsys.readouterr().err
