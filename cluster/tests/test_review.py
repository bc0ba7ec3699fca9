"""`review` as a user runs it: rows, repetition, bad records, pages."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from conftest import rows

from kifuwarabe_cluster.cli import main
from kifuwarabe_cluster.tasks import digest

pytestmark = pytest.mark.usefixtures("local_ray")


def review(engine: str, folder: Path, out: Path | str, *options: str, visits: int = 20) -> int:
    common = ["--engine", engine, "--set", "Net.Use=false", "--visits", str(visits), "--quiet"]
    return main(["review", str(folder), "--out", str(out), *common, *options])


def files(out: Path) -> dict[str, int]:
    """Times of the result files, by name."""
    return {path.name: path.stat().st_mtime_ns for path in out.glob("review/run=*/*.parquet")}


@pytest.fixture(scope="module")
def reviewed(engine: str, records: Path, tmp_path_factory: pytest.TempPathFactory, local_ray: None) -> Path:
    out = tmp_path_factory.mktemp("out")
    assert review(engine, records, out, "--batch", "3") == 0
    return out


def test_rows_have_the_numbers_of_a_report(engine: str, records: Path, reviewed: Path, tmp_path: Path) -> None:
    found = rows(reviewed, "review")
    by_record: dict[str, list[dict[str, Any]]] = {}
    for row in found:
        by_record.setdefault(row["source"], []).append(row)
    assert sorted(by_record) == sorted(str(path.relative_to(records)) for path in records.rglob("*.sgf"))
    for source, positions in list(by_record.items())[:3]:
        seed = f"Search.Seed={positions[0]['seed']}"
        command = [engine, "--set", "Net.Use=false", "--set", seed, "report", str(records / source), "--json", "-"]
        report = subprocess.run([*command, "--visits", "20"], check=True, capture_output=True, cwd=tmp_path)
        game = json.loads(report.stdout)
        assert positions[0]["record"] == digest((records / source).read_bytes())
        assert len(positions) == len(game["positions"])
        for number, (row, position) in enumerate(zip(positions, game["positions"], strict=True)):
            assert (row["move_number"], row["to_move"]) == (number, position["toMove"])
            assert row["variation"] == position["variation"] and row["best"] == position["variation"][0]
            assert row["win_rate"] == pytest.approx(position["winRate"], abs=1e-6)
            assert row["lead"] == pytest.approx(position["lead"], abs=1e-4)
            assert row["visits"] == (20 if position["candidates"] else 0)
            if number + 1 < len(positions):
                played = game["positions"][number + 1]["played"]
                assert (row["played"], row["phase"], row["class"]) == (played["move"], played["phase"], played["class"])
                assert row["points_lost"] == pytest.approx(played["pointsLost"], abs=1e-4)
            else:
                assert row["played"] is None and row["points_lost"] is None


def test_what_is_there_is_not_done_again(engine: str, records: Path, reviewed: Path, tmp_path: Path) -> None:
    before = files(reviewed)
    assert len(before) == 4
    assert review(engine, records, reviewed, "--batch", "3") == 0
    assert files(reviewed) == before
    # a lost file is made again, the same
    out = tmp_path / "out"
    shutil.copytree(reviewed, out)
    lost = next(iter(out.glob("review/run=*/*.parquet")))
    data = lost.read_bytes()
    lost.unlink()
    assert review(engine, records, out, "--batch", "3", "--workers", "1") == 0
    assert lost.read_bytes() == data and rows(out, "review") == rows(reviewed, "review")


@pytest.mark.slow
def test_batches_and_workers_change_no_row(engine: str, records: Path, reviewed: Path, tmp_path: Path) -> None:
    assert review(engine, records, tmp_path, "--batch", "5", "--workers", "1") == 0
    assert rows(tmp_path, "review") == rows(reviewed, "review")
    # nor is anything done again in batches of another size
    before = files(tmp_path)
    assert review(engine, records, tmp_path, "--batch", "2") == 0
    assert files(tmp_path) == before


@pytest.mark.slow
def test_new_records_alone_are_reviewed(engine: str, records: Path, tmp_path: Path) -> None:
    folder, out = tmp_path / "records", tmp_path / "out"
    shutil.copytree(records / "club", folder)
    assert review(engine, folder, out, "--batch", "4") == 0
    before = files(out)
    (folder / "new.sgf").write_text("(;SZ[5]KM[0.5];B[cc];W[bc])")
    shutil.copy(folder / "1.sgf", folder / "copy.sgf")
    assert review(engine, folder, out, "--batch", "4") == 0
    assert before.items() < files(out).items()
    sources = [row["source"] for row in rows(out, "review")]
    assert sources.count("new.sgf") == 3 and "copy.sgf" not in sources
    keys = [(row["record"], row["move_number"]) for row in rows(out, "review")]
    assert len(set(keys)) == len(keys)
    # other settings are another run
    assert review(engine, folder, out, visits=10) == 0
    assert len(list(out.glob("review/run=*"))) == 2


BAD = {
    "empty.sgf": b"",
    "text.sgf": b"no record",
    "cut.sgf": b"(;SZ[9];B[aa]",
    "off.sgf": b"(;SZ[9];B[zz])",
    "twice.sgf": b"(;SZ[9];B[aa];W[aa])",
    "bytes.sgf": bytes(range(256)),
    "large.sgf": b"(;SZ[99])",
}


def test_bad_records_are_listed_with_their_reason(
    engine: str, records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = tmp_path / "records", tmp_path / "out"
    shutil.copytree(records / "league", folder)
    for name, data in BAD.items():
        (folder / name).write_bytes(data)
    for _ in range(2):
        assert review(engine, folder, out) == 0
        (listed,) = out.glob("*-problems.tsv")
        problems = dict(line.split("\t") for line in listed.read_text().splitlines())
        assert sorted(problems) == sorted(BAD) and all(problems.values())
        assert "byte 13" in problems["cut.sgf"]
        # the moves before an illegal one are reviewed
        assert (
            problems["twice.sgf"]
            == "move 2, white A9, is illegal (masonry: there is a stone on the point); the moves before it are used"
        )
        assert len({row["source"] for row in rows(out, "review")}) == 7
        (page,) = (path for path in out.glob("review-*.html") if "records" not in path.name)
        assert all(name in page.read_text() for name in BAD)
    assert "0 records in" in capsys.readouterr().out


def test_pages_and_problems_are_those_of_the_records_of_the_command(engine: str, tmp_path: Path) -> None:
    folder, out = tmp_path / "records", tmp_path / "out"
    folder.mkdir()
    (folder / "edited.sgf").write_text("(;SZ[5]PB[A]PW[A];B[cc];W[bc])")
    (folder / "removed.sgf").write_text("(;SZ[5]PB[A]PW[B];B[cc];W[dc])")
    (folder / "repaired.sgf").write_text("(;SZ[5];B[zz])")
    (folder / "two.sgf").write_text("(;SZ[5];B[cc])(;SZ[5];B[bb])")
    (folder / "dangling.sgf").symlink_to("absent")

    def problems() -> dict[str, str]:
        (listed,) = out.glob("*-problems.tsv")
        return dict(line.split("\t") for line in listed.read_text().splitlines())

    def page() -> str:
        (path,) = (path for path in out.glob("review-*.html") if "records" not in path.name)
        return path.read_text()

    assert review(engine, folder, out) == 0
    assert sorted(problems()) == ["dangling.sgf", "repaired.sgf", "two.sgf"]
    assert problems()["two.sgf"].startswith("only the first of its games is reviewed")
    assert problems()["dangling.sgf"] == "No such file or directory"
    # a player of both sides, or without a name, has played one game
    assert '<td>A</td><td class="n">2</td>' in page() and '<td>(no name)</td><td class="n">1</td>' in page()
    (folder / "edited.sgf").write_text("(;SZ[5]PB[A]PW[A];B[cc];W[bb])")
    (folder / "removed.sgf").unlink()
    (folder / "dangling.sgf").unlink()
    (folder / "repaired.sgf").write_text("(;SZ[5];B[cc])")
    assert review(engine, folder, out) == 0
    assert sorted(problems()) == ["two.sgf"] and "repaired.sgf" not in page().split("<h2>")[0]
    (records_page,) = out.glob("review-*-records-1.html")
    assert [records_page.read_text().count(f"<td>{name}.sgf") for name in ("edited", "removed", "repaired")] == [
        1,
        0,
        1,
    ]
    assert '<td>A</td><td class="n">1</td>' in page()
    assert [row["source"] for row in rows(out, "review")].count("edited.sgf") == 6


def test_tables_of_the_pages_are_those_of_a_query(reviewed: Path) -> None:
    (page,) = (path for path in reviewed.glob("review-*.html") if "records" not in path.name)
    text = page.read_text()
    query = f"""
        select if(to_move = 'black', black, white) as player, count(*), avg(accuracy), avg(points_lost),
               count(*) filter (class = 'mistake')
        from '{reviewed}/review/*/*.parquet' where played is not null group by player"""
    players = duckdb.sql(query).fetchall()
    assert len(players) == 3
    for player, moves, accuracy, points_lost, mistakes in players:
        (line,) = (
            line
            for line in text.splitlines()
            if line.startswith(f"<tr><td>{player}</td>") and 'td><td class="n">8</td>' in line
        )
        cells = [cell.removesuffix("</td>") for cell in line.removesuffix("</tr>").split('<td class="n">')[1:]]
        assert cells[1:4] == [f"{moves:,}", f"{accuracy:.2f}", f"{points_lost:.2f}"]
        assert cells[6] == str(mistakes)
    (records_page,) = reviewed.glob("review-*-records-1.html")
    assert records_page.read_text().count("<td>club/") == 6


@pytest.mark.slow
def test_names_in_records_are_text_in_pages(engine: str, tmp_path: Path) -> None:
    (tmp_path / "<b>.sgf").write_text("(;SZ[5]PB[<script>x</script>];B[cc];W[bc])")
    assert review(engine, tmp_path, tmp_path / "out") == 0
    for page in (tmp_path / "out").glob("*.html"):
        assert "<script" not in page.read_text() and "<b>.sgf" not in page.read_text()


@pytest.mark.slow
def test_workers_write_where_the_address_is_no_folder(
    engine: str, records: Path, reviewed: Path, tmp_path: Path
) -> None:
    # a file system of fsspec that is the local one by another name
    address = f"dir::file://{tmp_path}/out"
    for _ in range(2):
        assert review(engine, records, address, "--batch", "3") == 0
        (folder,) = (path.parent for path in tmp_path.rglob("review"))
        assert rows(folder, "review") == rows(reviewed, "review")
    assert len(list(folder.glob("review-*.html"))) == 2


def test_wrong_calls_have_one_line(engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert review(engine, tmp_path / "absent", tmp_path / "out") == 1
    assert review(engine, tmp_path, tmp_path / "out") == 1
    assert review("/absent/engine", tmp_path, tmp_path / "out") == 1
    assert review(engine, tmp_path, tmp_path / "out", "--set", "Komi") == 1
    lines = capsys.readouterr().err.splitlines()
    expected = [
        "expected a folder of records",
        "expected records",
        "expected records",
        "--set Komi: expected KEY=VALUE",
    ]
    assert len(lines) == 4 and all(text in line for text, line in zip(expected, lines, strict=True))
    assert not (tmp_path / "out").exists()
    with pytest.raises(SystemExit):
        main(["review", str(tmp_path), "--out", "x", "--visits", "0"])
    assert "expected 1 to" in capsys.readouterr().err


def test_schema_is_one_for_all_files(reviewed: Path) -> None:
    schemas = {str(pa.parquet.read_schema(path).remove_metadata()) for path in reviewed.glob("review/run=*/*.parquet")}
    assert len(schemas) == 1
