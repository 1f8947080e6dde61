"""The tables: written once, deleted for good, in PostgreSQL and in SQLite."""

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect, text

from service.archive.archive import Archive, ArchiveDown, ArchiveRefused, Result
from service.archive.tables import METADATA
from service.errors import ConfigurationError
from service.live.outputs.tables import Tables
from service.store.conversations.protocol import JUDGED, OutboxEvent
from tests.integration.live.conftest import holding
from tests.postgres_server import PostgresServer

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture(params=["postgresql", "sqlite"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Archive]:
    address = (
        f"sqlite:///{tmp_path}/results.db"
        if request.param == "sqlite"
        else request.getfixturevalue("postgres_url")
    )
    found = Archive(address)
    found.prepare()
    found.prepare()  # the second worker
    yield found
    found.close()


def result(
    sequence: int, conversation: str = "c1", revision: int = 1, score: float = 3.0, at: datetime = NOW
) -> Result:
    names = {"conversation": conversation, "revision": revision}
    head = {
        "system": "shop", "domain": "movie", "ended": "idle", "judged_at": at, "first_at": at, "last_at": at,
        "messages": 4, "replies": 2, "mean": score / 4, "failure": None, "model": None, "model_reasons": [],
        "user_hash": f"user-{conversation}", "segment": "new",
    }  # fmt: skip
    verdict: dict[str, Any] = {
        "factor": "coherence", "judge": "builtin", "status": "scored", "score": score, "level": 3, "scale_min": 0,
        "scale_max": 4, "confidence": 0.5, "reason": None, "evaluator_revision": "r", "calibrated": None, "rationale": None, "evidence": [],
    }  # fmt: skip
    fault = {"fault": "pushy", "replies": 1, "rate": 0.5, "certain": False, "messages": [3]}
    return Result(sequence, names | head, [names | verdict], {"messages": []}, [names | fault])


def rows(archive: Archive, query: str) -> list[tuple[Any, ...]]:
    with archive._engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def test_a_result_that_comes_again_stands_once(archive: Archive) -> None:
    archive.write([result(1), result(2, "c2")])
    archive.write([result(1), result(3, "c1", 2, 1.0)])
    found = rows(
        archive, "select conversation, revision, score from verdicts order by conversation, revision"
    )
    assert found == [("c1", 1, 3.0), ("c1", 2, 1.0), ("c2", 1, 3.0)]
    assert rows(archive, "select conversation, score from latest_verdicts order by 1") == [
        ("c1", 1.0),
        ("c2", 3.0),
    ]
    faults = rows(archive, "select system, conversation, revision, fault, rate from latest_faults order by 2")
    assert faults == [("shop", "c1", 2, "pushy", 0.5), ("shop", "c2", 1, "pushy", 0.5)]


async def test_a_label_with_a_character_that_no_database_takes_loses_no_result(archive: Archive) -> None:
    row = {**result(1).conversation, "segment": "n\x00ew", "verdicts": [], "log": None}
    await Tables(archive).take([OutboxEvent("1", 1, JUDGED, "c1", json.dumps(row, default=str).encode())])
    assert rows(archive, "select segment from conversations") == [("new",)]


def test_what_was_on_its_way_at_a_deletion_is_not_written(archive: Archive) -> None:
    archive.write([result(1), result(2, "c2")])
    archive.delete("c1", 5)
    archive.write([result(4, "c1", 2)])
    for table in ("conversations", "verdicts", "faults", "texts"):
        assert rows(archive, f"select distinct conversation from {table}") == [("c2",)]
    archive.write([result(6)])  # a new conversation of that name
    archive.delete("c1", 5)  # and the old deletion, brought again
    assert rows(archive, "select count(*) from verdicts where conversation = 'c1'") == [(1,)]
    assert "c1" not in str(rows(archive, "select * from deletions"))


@pytest.mark.parametrize("removed", ["deleted", "expired"])
def test_no_file_holds_the_text_of_a_deleted_conversation(tmp_path: Path, removed: str) -> None:
    said = "a cheese board for thirty otters"
    archive = Archive(f"sqlite:///{tmp_path}/results.db")
    archive.prepare()
    judged = replace(result(1), log={"messages": [{"role": "user", "content": said}]})
    verdict: Any = judged.verdicts[0]
    verdict.update(rationale=f"Asked for {said}.", evidence=[{"message": 0, "quote": said}])
    # While somebody else has the file open, closing it leaves the write-ahead log.
    with contextlib.closing(sqlite3.connect(tmp_path / "results.db")) as reader:
        assert reader.execute("select count(*) from conversations").fetchone() == (0,)
        archive.write([judged, result(2, "c2", at=NOW + timedelta(days=2))])
        assert holding(tmp_path, said)
        if removed == "deleted":
            archive.delete("c1", 5)
        else:
            archive.expire(NOW + timedelta(days=1))
        assert holding(tmp_path, said) == []
        assert reader.execute("select conversation from conversations").fetchall() == [("c2",)]
    archive.close()


def test_a_deletion_is_brought_again_while_a_reader_holds_its_text_in_the_log(tmp_path: Path) -> None:
    archive = Archive(f"sqlite:///{tmp_path}/results.db")
    archive.prepare()
    with contextlib.closing(sqlite3.connect(tmp_path / "results.db", isolation_level=None)) as reader:
        reader.execute("begin")
        reader.execute("select * from conversations").fetchall()
        archive.write([result(1)])
        with pytest.raises(ArchiveDown):
            archive.delete("c1", 5)
    archive.delete("c1", 5)
    archive.close()


def test_a_deleted_conversation_is_shown_by_no_alarm(archive: Archive) -> None:
    names = {"kind": "drift.alarm", "at": NOW, "system": "shop", "factor": "coherence"}
    for name, shown in (("a", ["c1", "c2"]), ("b", ["c3"])):
        archive.alarm({**names, "id": name, "content": {"mean": 0.5, "shown": shown}})
    archive.delete("c1", 5)
    found = rows(archive, "select content from alarms order by id")
    contents = [json.loads(one) if isinstance(one, str) else one for (one,) in found]
    assert contents == [{"mean": 0.5, "shown": ["c2"]}, {"mean": 0.5, "shown": ["c3"]}]


def test_the_judgements_of_a_user_are_found_with_all_that_hangs_on_them(archive: Archive) -> None:
    shared = result(4, "c4")
    archive.write([result(1), result(2, "c2"), result(3, "c1", 2)])
    archive.write([replace(shared, conversation={**shared.conversation, "user_hash": "user-b user-c1"})])
    found = sorted(archive.find("user-c1"), key=lambda one: int(one["sequence"]))
    assert [(one["conversation"], one["revision"], one["segment"]) for one in found] == [
        ("c1", 1, "new"),
        ("c1", 2, "new"),
        ("c4", 1, "new"),
    ]
    assert {one["judged_at"] for one in found} == {NOW}, "with its zone, in SQLite too"
    assert [(len(one["verdicts"]), len(one["faults"]), len(one["texts"])) for one in found] == [(1, 1, 1)] * 3
    assert rows(archive, "select segment, count(*) from latest_faults group by 1") == [("new", 3)]


def test_what_is_old_is_deleted(archive: Archive) -> None:
    archive.write([result(1), result(2, "c2", at=NOW + timedelta(days=2))])
    assert archive.expire(NOW + timedelta(days=1)) == 1
    for table in ("conversations", "verdicts", "faults", "texts"):
        assert rows(archive, f"select conversation from {table}") == [("c2",)]


def test_tables_of_an_earlier_release_get_what_they_lack_and_keep_their_rows(archive: Archive) -> None:
    archive.write([result(1)])
    with archive._engine.begin() as connection:
        for change in (
            "drop view latest_faults", "drop view latest_verdicts", "drop index conversations_by_user",
            "drop index conversations_of_several",
            "alter table conversations drop column user_hash", "alter table conversations drop column segment",
            "alter table conversations drop column model", "alter table verdicts drop column calibrated", "drop table faults",
            "create view latest_verdicts as select c.system, v.* from verdicts v join conversations c using (conversation)",
        ):  # fmt: skip
            connection.execute(text(change))
    archive.prepare()
    found = inspect(archive._engine)
    for table in METADATA.sorted_tables:
        assert {one["name"] for one in found.get_columns(table.name)} == set(table.columns.keys())
        assert {one["name"] for one in found.get_indexes(table.name)} == {one.name for one in table.indexes}
    archive.write([result(2, "c2")])
    assert rows(archive, "select conversation, model, score from latest_verdicts order by 1") == [
        ("c1", None, 3.0),
        ("c2", None, 3.0),
    ]
    assert rows(archive, "select conversation, segment from latest_faults") == [("c2", "new")]


def test_a_database_that_is_away_is_told_from_rows_that_it_refuses(postgres_url: str) -> None:
    archive = Archive(postgres_url)
    archive.prepare()
    with pytest.raises(ArchiveRefused):
        archive.write([result(1, "nul\x00")])
    archive.write([result(1)])
    archive.close()
    with PostgresServer() as other:
        archive = Archive(other.url)
        archive.prepare()
        other.stop()
        with pytest.raises(ArchiveDown) as caught:
            archive.write([result(1)])
        assert "shop" not in str(caught.value)
        other.start()
        archive.write([result(1)])
        archive.close()


@pytest.mark.parametrize(
    "address",
    [
        "mysql://root:secret@x/y", "no address", "nosuch://x", "sqlite://",
        "postgresql://me:p@ss:secret/y", "postgresql+asyncpg://me:secret@x/y",
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(ConfigurationError, match="CRS_EVAL_LIVE_DATABASE") as caught:
        Archive(address)
    assert "secret" not in str(caught.value)
