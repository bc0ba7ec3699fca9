"""Files of results: whole or not at all, at any address, every task once."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kifuwarabe_cluster.engine import Identity
from kifuwarabe_cluster.run import StoredNames
from kifuwarabe_cluster.store import Problem, Store, table_bytes
from kifuwarabe_cluster.tasks import Batch, Plan, Run

RUN = Plan("review", {"visits": 50}, 1).run(Identity("Kifuwarabe UEC14", "0.16.0", "none", "c"))


def put(store: Store, run: Run, tasks: str, problems: tuple[Problem, ...] = ()) -> Batch:
    """Stores a batch whose tasks are letters, with two rows each."""
    batch = Batch(tuple(tasks))
    column = pa.array([task for task in tasks for _ in range(2)]).dictionary_encode()
    table = pa.table({"record": column, "move_number": [0, 1] * len(tasks)})
    store.write(store.path(run, batch.name), table_bytes(table, run, batch, problems))
    return batch


@pytest.fixture(params=["folder", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return Store(str(tmp_path / "out") if request.param == "folder" else f"memory://{tmp_path.name}/out")


def test_files_say_what_they_hold(store: Store) -> None:
    assert store.names(RUN) == []
    problem = Problem("b", "b.sgf", "no record")
    batch = put(store, RUN, "ab", (problem,))
    assert store.names(RUN) == [batch.name]
    (footer,) = store.footers(RUN, store.names(RUN))
    assert (footer.tasks, footer.problems) == (("a", "b"), (problem,))
    table = store.table(RUN, batch.name)
    found = json.loads(table.schema.metadata[b"kifuwarabe"])["run"]
    facts = {"kind": "review", "program": "Kifuwarabe UEC14", "version": "0.16.0", "net": "none", "seed": 1}
    assert facts.items() <= found.items() and found["settings"] == {"visits": 50} and table.num_rows == 4


def test_a_write_that_fails_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(store.fs, "mv", fail)
    with pytest.raises(OSError, match="disk is full"):
        put(store, RUN, "a")
    assert store.names(RUN) == []
    assert list(store.fs.find(store.root)) == []


def test_files_that_are_being_written_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(str(tmp_path))
    batch = put(store, RUN, "a")
    # what is there while a file is written, and after a driver was killed meanwhile
    monkeypatch.setattr(store.fs, "mv", lambda temporary, path: None)
    put(store, RUN, "b")
    names = sorted(path.name for path in Path(store.folder(RUN)).iterdir())
    assert len(names) == 2
    Path(store.folder(RUN), names[0]).write_bytes(b"PAR1")
    assert store.names(RUN) == [batch.name]
    assert pq.read_table(str(tmp_path / "review")).num_rows == 2


def test_the_same_batch_is_the_same_file(tmp_path: Path) -> None:
    files = []
    for name in ("one", "two"):
        store = Store(str(tmp_path / name))
        files.append(Path(store.path(RUN, put(store, RUN, "abc").name)).read_bytes())
    assert files[0] == files[1]


def test_what_another_driver_wrote_is_seen_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(str(tmp_path))
    stored_names = StoredNames(store, RUN, set())
    batch = put(store, RUN, "a")
    assert not stored_names.has(batch)
    monkeypatch.setattr(stored_names, "next", 0.0)
    assert stored_names.has(batch) and not stored_names.has(Batch(("b",)))
    assert stored_names.next > time.monotonic() + 25


def test_tasks_that_two_drivers_did_are_kept_once(store: Store) -> None:
    for tasks in ("abc", "cd", "de", "f"):
        put(store, RUN, tasks)
    assert store.remove_repeated(RUN, "record") == 2
    tables = [store.table(RUN, name) for name in store.names(RUN)]
    rows = sorted((row["record"], row["move_number"]) for table in tables for row in table.to_pylist())
    assert rows == [(task, number) for task in "abcdef" for number in range(2)]
    tasks = sorted(task for footer in store.footers(RUN, store.names(RUN)) for task in footer.tasks)
    assert tasks == list("abcdef")
    assert store.remove_repeated(RUN, "record") == 0
    # nor does it matter that the other driver does the same at the same time
    assert list(store.footers(RUN, ["absent"])) == []
    assert [len(table) for table in store.of_files([*store.names(RUN), "absent"], lambda n: store.table(RUN, n))]
