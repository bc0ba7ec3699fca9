"""The queries of docs/cluster.md run, and have the columns that are shown."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest
from conftest import REPOSITORY

from kifuwarabe_cluster.cli import main, parser

PAGE = (REPOSITORY / "docs/cluster.md").read_text()
BLOCKS = re.findall(r"^```text\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
@pytest.mark.usefixtures("local_ray")
def test_queries_have_the_columns_that_are_shown(
    engine: str, records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    common = ["--out", "out", "--engine", engine, "--set", "Net.Use=false", "--quiet"]
    assert main(["review", str(records), "--visits", "20", *common]) == 0
    assert main(["selfplay", "--games", "4", "--size", "5", "--visits", "8", *common]) == 0
    queries = [number for number, block in enumerate(BLOCKS) if block.startswith("select")]
    assert len(queries) >= 3
    for number in queries:
        found = duckdb.sql(BLOCKS[number])
        assert found.fetchall(), BLOCKS[number]
        heads = [cell.strip() for cell in BLOCKS[number + 1].splitlines()[1].strip("│").split("│")]
        assert heads == found.columns


def test_options_of_the_page_are_those_of_the_program() -> None:
    known = set()
    for action in parser()._subparsers._group_actions[0].choices.values():  # type: ignore[union-attr]
        known.update(option for part in action._actions for option in part.option_strings)  # type: ignore[union-attr]
    in_tables = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]*)", PAGE))
    named = in_tables - {"--serve", "--first", "--nodes", "--head", "--mode"}
    assert named <= known, named - known
    assert {option for option in known if option.startswith("--")} - named == {"--help"}
