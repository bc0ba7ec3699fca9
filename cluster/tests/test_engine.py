"""Engine processes: answers, ends, bounds of time, and identities."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from kifuwarabe_cluster.engine import (
    EngineFailure,
    EngineOptions,
    EngineProcess,
    EngineUnavailable,
    ReviewEngine,
    identity,
    run_to_exit,
)
from kifuwarabe_cluster.match import Conditions, GtpEngine, GtpError

FAKE = """
import sys, time
for line in sys.stdin:
    if line == "die\\n":
        sys.exit("out of stones")
    if line == "hang\\n":
        time.sleep(60)
    print("heard", line, end="", flush=True)
"""


@pytest.fixture
def process() -> EngineProcess:
    return EngineProcess([sys.executable, "-c", FAKE])


def test_a_process_that_ended_is_started_by_the_next_question(process: EngineProcess) -> None:
    assert process.ask("a", 30) == "heard a"
    with pytest.raises(EngineFailure, match=r"the engine ended \(exit code 1\): out of stones"):
        process.ask("die", 30)
    assert process.ask("b", 30) == "heard b"
    assert process.starts == 2
    # the message of the second process does not have the first one's, nor a gap in its place
    with pytest.raises(EngineFailure, match=r"\(exit code 1\): out of stones$"):
        process.ask("die", 30)
    process.close()


def test_a_process_that_is_too_late_is_killed(process: EngineProcess) -> None:
    process.ask("a", 30)
    pid = process.pid
    assert pid is not None
    begin = time.monotonic()
    with pytest.raises(EngineFailure, match="did not answer in time"):
        process.ask("hang", 0.3)
    assert time.monotonic() - begin < 10
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    # what it might have answered later is not taken for the next answer
    assert process.ask("b", 30) == "heard b"
    process.close()


def test_a_program_that_ends_by_itself_is_bounded_too(tmp_path: Path) -> None:
    assert run_to_exit([sys.executable, "-c", "print(1)"], tmp_path, 30) == "1\n"
    with pytest.raises(EngineFailure, match=r"exit code 3\): no"):
        run_to_exit([sys.executable, "-c", "import sys; print('no', file=sys.stderr); sys.exit(3)"], tmp_path, 30)
    with pytest.raises(EngineFailure, match="in time"):
        run_to_exit([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path, 0.3)
    with pytest.raises(EngineUnavailable):
        run_to_exit(["/absent"], tmp_path, 1)


def test_an_absent_engine_and_net_are_named() -> None:
    with pytest.raises(EngineUnavailable, match="no program /absent/engine"):
        EngineOptions(engine="/absent/engine").command()
    with pytest.raises(EngineUnavailable, match=r"no net absent\.bin"):
        EngineOptions(engine=sys.executable, net="absent.bin").command()
    with pytest.raises(EngineUnavailable, match="cannot be used"):
        identity(EngineOptions(engine=sys.executable))


def test_shipped_files_are_those_of_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = tmp_path / "kifuwarabe-uec14"
    shipped.write_text("#!/bin/sh\n")
    (tmp_path / "n.bin.gz").write_text("")
    command = EngineOptions(net="n.bin.gz", settings=("Game.Komi=5",), ships_engine=True).command()
    net = f"Net.File={tmp_path.resolve() / 'n.bin.gz'}"
    assert command == [str(shipped.resolve()), "--set", "Game.Komi=5", "--set", net]
    assert os.access(shipped, os.X_OK) and not os.access("n.bin.gz", os.X_OK)
    # without having been shipped, files of these names do not replace others
    monkeypatch.setenv("PATH", str(tmp_path / "absent"))
    with pytest.raises(EngineUnavailable, match="no program kifuwarabe-uec14"):
        EngineOptions().command()
    with pytest.raises(EngineUnavailable, match=r"no net /absent/n\.bin\.gz"):
        EngineOptions(net="/absent/n.bin.gz", engine=sys.executable).command()


def test_identity_follows_what_results_depend_on(engine: str) -> None:
    def of(*settings: str, threads: int = 1) -> object:
        return identity(EngineOptions(engine=engine, settings=settings, threads=threads))

    assert of() == of("Search.Threads=2", threads=2) == of("Search.Seed=5")
    others = [of("Net.Use=false"), of("Search.Cpuct=1.5"), of("Game.Komi=5"), of("Game.Rules=japanese")]
    assert len({str(other) for other in [of(), *others]}) == 5


def test_reviews_do_not_depend_on_those_before(engine: str) -> None:
    engine_options = EngineOptions(engine=engine, settings=("Net.Use=false",))
    one, two = (ReviewEngine(engine_options) for _ in range(2))
    games = [b"(;SZ[5];B[cc];W[bc];B[cb])", b"(;SZ[6]KM[5];B[cc];W[dd])"]

    def numbers(review: ReviewEngine, game: bytes, seed: int) -> object:
        answer = review.review(game, 30, seed, 60)
        answer.pop("id")
        return answer

    first = numbers(one, games[0], 7)
    numbers(two, games[1], 8)
    assert numbers(two, games[0], 7) == first
    assert numbers(two, games[0], 9) != first
    assert "error" in one.review(b"(;SZ[99])", 30, 7, 60)
    one.close()
    two.close()


GTP = """
import sys
for line in sys.stdin:
    answers = {"genmove": "\\n= D4\\nmore\\n", "bad": "? unknown command\\n", "odd": "hello\\n"}
    print(answers.get(line.split()[0], "=\\n"), flush=True)
"""


def test_answers_of_gtp_end_with_an_empty_line(tmp_path: Path) -> None:
    gtp = GtpEngine([sys.executable, "-c", GTP], tmp_path, 30)
    gtp.begin(Conditions("9x13", 7, "chinese", 0))
    assert gtp.ask("genmove b") == "D4\nmore"
    assert gtp.ask("name") == ""
    with pytest.raises(GtpError, match="bad: unknown command"):
        gtp.ask("bad")
    with pytest.raises(EngineFailure, match="expected an answer of GTP, found 'hello'"):
        gtp.ask("odd")
    gtp.close()


def test_an_engine_that_ended_in_a_game_is_started_by_the_next_game(tmp_path: Path) -> None:
    gtp = GtpEngine([sys.executable, "-c", GTP], tmp_path, 30)
    gtp.begin(Conditions("9", 7, "chinese", 0))
    assert gtp.process.pid is not None
    os.kill(gtp.process.pid, signal.SIGKILL)
    os.waitid(os.P_PID, gtp.process.pid, os.WEXITED | os.WNOWAIT)
    for _ in range(2):
        with pytest.raises(EngineFailure, match="the engine ended"):
            gtp.ask("genmove b")
    gtp.begin(Conditions("9", 7, "chinese", 0))
    assert gtp.process.starts == 2
    gtp.close()
