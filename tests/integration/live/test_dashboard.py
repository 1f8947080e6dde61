"""Every SQL of the dashboard, run against a PostgreSQL with results."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from service.archive.archive import Archive, Result
from tests.integration.live.test_archive import result as archived
from tools.check_monitoring import database_queries

NOW = datetime.now(UTC) - timedelta(minutes=5)


def result(sequence: int, system: str, score: float, failure: str | None = None) -> Result:
    one = archived(sequence, f"c{sequence}", score=score, at=NOW)
    head = {**one.conversation, "system": system, "failure": failure, "model": "left_out"}
    head |= {"mean": None if failure else score / 4, "segment": "new" if sequence == 1 else None}
    verdicts, faults = [] if failure else one.verdicts, one.faults if score < 2 else []
    return replace(one, conversation=head, verdicts=verdicts, faults=faults, log=None)


def test_every_query_finds_the_results_of_the_systems_that_are_chosen(postgres_url: str) -> None:
    archive = Archive(postgres_url)
    archive.prepare()
    archive.write([result(1, "alpha", 1.0), result(2, "alpha", 3.0), result(3, "beta", 4.0)])
    archive.write([result(4, "alpha", 0.0, "invalid_request")])
    content = {"change": "drop", "expected": 0.7, "mean": 0.5, "shown": ["c1"]}
    names = {"id": "a1", "kind": "drift.alarm", "at": NOW, "system": "alpha", "factor": "coherence"}
    archive.alarm({**names, "content": content})
    archive.close()
    found = {}
    with psycopg.connect(postgres_url) as connection:
        for title, query in database_queries(["alpha"]):
            found[title] = connection.execute(query.encode()).fetchall()
    assert all(found.values()), [title for title, rows in found.items() if not rows]
    assert [(row[0], row[3]) for row in found["Mean with its interval"]] == [("alpha", 2)]
    assert found["Mean with its interval"][0][4] == pytest.approx(0.5)
    assert [row[0] for row in found["Worst first"]] == ["c1", "c2"]
    assert found["Alarms"][0][4:7] == ("drop", 0.7, 0.5)
    assert found["Coverage of the model"] == [("alpha", "left_out", 3, 1.0)]
    assert sorted(found["Faults by segment"]) == [("new", "pushy", 1, 1.0), ("none", "pushy", 1, 0.5)]
    assert found["Not judged"] == [("invalid_request", 1)]
