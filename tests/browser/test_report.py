"""The report: one file, the same from the page and from the command line, that draws itself offline."""

import asyncio
import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from service.cli.outputs import COLUMNS, FRAME, write_results
from service.cli.records import Record
from tests.browser.conftest import lines, looks_well, users
from tests.registries import CORE
from tools.service_process import ROOT

LOGS = ROOT / "examples" / "logs"
HOSTILE = "=cmd|</script><script>alert(1)</script>\u2028<!--"


def score(path: Path, service: str) -> None:
    """`crs-eval score`, writing a report and a CSV beside the logs; one of these logs is refused."""
    out = path.with_suffix(".html")
    command = [sys.executable, "-m", "service.cli.program", "score", path, "--url", service, "--fresh"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CRS_EVAL_")}
    done = subprocess.run(
        [*map(str, command), "--out", str(out), "--out", str(path.with_suffix(".csv"))],
        cwd=ROOT, env=clean, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert out.exists(), done.stderr


async def saved(page: Page, button: str) -> bytes:
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name=button).click()
    return await asyncio.to_thread((await (await waiting.value).path()).read_bytes)


async def test_the_page_and_the_command_line_write_the_same_files(
    page: Page, service: str, tmp_path: Path
) -> None:
    logs = users(["good", "broken", "mediocre", "live"])
    logs[0]["id"] = HOSTILE
    logs[1]["system"] = None
    logs.append({"id": "refused", "messages": [{"role": "user", "content": "hi", "mood": "fine"}]})
    text = lines(logs)
    path = tmp_path / "logs.jsonl"
    path.write_text(text)
    for _ in range(2):  # the second time, all that can be comes from the cache, as it then does for the page
        await asyncio.to_thread(score, path, service)
    await page.get_by_role("link", name="Compare").click()
    await page.get_by_label("Conversations", exact=True).fill(text)
    await page.get_by_role("button", name="Compare", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text("5 conversations judged")
    reports = await saved(page, "Download report"), path.with_suffix(".html").read_bytes()
    ours, theirs = (held(report.decode()) for report in reports)
    assert ours == theirs
    tables = await saved(page, "Download CSV"), path.with_suffix(".csv").read_bytes()
    rows, others = (list(csv.DictReader(io.StringIO(table.decode(), newline=""))) for table in tables)
    assert [*map(numbers, rows)] == [*map(numbers, others)]
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == 4 * (len(CORE) + 1) + 1
    assert {row["conversation"] for row in rows} >= {f"'{HOSTILE}", "user-1", "refused"}


def held(report: str) -> Any:
    """Return the results that a report draws."""
    frame = FRAME.read_text(encoding="utf-8")
    before, _, after = frame.partition("{{results}}")
    assert report.startswith(before)
    assert report.endswith(after)
    return json.loads(report.removeprefix(before).removesuffix(after))


def numbers(row: Mapping[str, str]) -> Mapping[str, object]:
    """Return a row of CSV with its numbers read, since two programs may write them differently."""
    return {
        name: float(text) if name in {"score", "min", "max", "cost"} and text else text
        for name, text in row.items()
    }


@pytest.fixture
async def answers(page: Page, service: str) -> Mapping[str, Any]:
    """Return what the service says of the example logs."""
    return {
        path.stem: await (
            await page.request.post(f"{service}/score", data={"log": json.loads(path.read_text())["log"]})
        ).json()
        for path in LOGS.glob("*.json")
    }


def record(name: str, system: str | None, answer: Any) -> Record:
    failure = None if answer else {"status": 503, "detail": f"no room for {HOSTILE}"}
    return Record(name, system, "/score", name, answer, failure)


async def test_a_report_draws_itself_offline_and_runs_nothing_that_it_quotes(
    opened: Page, answers: Mapping[str, Any], tmp_path: Path
) -> None:
    answers["broken"]["verdicts"][0]["rationale"] = HOSTILE
    records = [
        record(HOSTILE, "a", answers["broken"]),
        record("fine", "a", answers["good"]),
        record("lost", "a", None),
    ]
    write_results(tmp_path / "report.html", records)
    await opened.goto((tmp_path / "report.html").as_uri())
    await expect(opened.get_by_role("heading", name="Conversations judged")).to_be_visible()
    table = opened.get_by_role("region", name="Conversations", exact=True)
    await expect(table.locator("tbody th")).to_have_text([HOSTILE, "fine", f"lostno room for {HOSTILE}"])
    await expect(opened.get_by_role("region", name="Distributions")).to_contain_text("Overall")
    await opened.get_by_role("button", name=HOSTILE).click()
    await expect(opened.locator(".card")).to_have_count(len(CORE))
    await expect(opened.get_by_role("article", name="Coherence")).to_contain_text(
        "</script><script>alert(1)</script>"
    )
    await expect(opened.get_by_role("heading", name=HOSTILE)).to_be_focused()


async def test_debates_and_simulated_sessions_are_reported_too(
    opened: Page, page: Page, service: str, tmp_path: Path
) -> None:
    log = json.loads((LOGS / "mediocre.json").read_text())["log"]
    debate = await (await page.request.post(f"{service}/debate", data={"log": log})).json()
    user = {"persona": "curiosity", "attributes": ["mystery"]}
    body = {"simulator": {"type": "scripted"}, "log": {"messages": [], "user": user}}
    session = await (await page.request.post(f"{service}/simulate", data=body)).json()
    said = {"messages": [{"role": "user", "content": session["message"]}]}
    write_results(
        tmp_path / "report.html",
        [record("debated", None, debate), record("simulated", None, {**session, "log": said})],
    )
    await opened.goto((tmp_path / "report.html").as_uri())
    distributions = opened.get_by_role("region", name="Distributions")
    await expect(distributions.locator("tr", has_text="Overall by debate")).to_contain_text("of 100")
    await expect(distributions.locator("tr", has_text="Mean of factors")).to_contain_text("of 4")
    await opened.get_by_role("button", name="debated").click()
    await expect(opened.locator(".opened .mean")).to_contain_text("of 100 by debate")
    await expect(opened.locator(".card")).to_have_count(len(CORE))
    await opened.get_by_role("button", name="simulated").click()
    await expect(opened.locator(".opened .transcript")).to_contain_text(session["message"])


async def test_a_report_reads_well_narrow_wide_and_printed(
    opened: Page, answers: Mapping[str, Any], tmp_path: Path
) -> None:
    records = [record(name, None, answer) for name, answer in answers.items()]
    write_results(tmp_path / "report.html", records)
    text = (tmp_path / "report.html").read_text()
    # The policy would not let axe in; it was seen to hold in the test above.
    (tmp_path / "report.html").write_text(text.replace('http-equiv="Content-Security-Policy"', "hidden"))
    await opened.goto((tmp_path / "report.html").as_uri())
    await opened.get_by_role("button", name="broken", exact=True).click()
    await looks_well(opened)
    await opened.emulate_media(media="print")
    await expect(opened.get_by_label("Search")).to_be_hidden()
    scored = [one for one in answers["broken"]["verdicts"] if one["status"] == "scored"]
    await expect(opened.get_by_role("article")).to_have_count(len(scored))
