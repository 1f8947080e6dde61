"""Many conversations on the page: judged, sorted, filtered, compared, taken away."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from service.cli.outputs import COLUMNS

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "logs"
MANY = 500


def example(name: str) -> dict[str, Any]:
    return dict(json.loads((EXAMPLES / f"{name}.json").read_text())["log"])


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def lines(logs: list[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(log) for log in logs)


def users(names: list[str]) -> list[dict[str, Any]]:
    return [{**example(name), "id": f"user-{index}"} for index, name in enumerate(names)]


async def judge_all(page: Page, *texts: str) -> None:
    await page.get_by_role("link", name="Compare").click()
    labels = ("Conversations", "The same users with another system, if there is one")
    for label, text in zip(labels, texts, strict=False):
        await page.get_by_label(label, exact=True).fill(text)
    await page.get_by_role("button", name="Judge all").click()


async def column(page: Page, name: str) -> list[str]:
    heads = await page.locator(".table thead th").all_inner_texts()
    place = heads.index(name)
    rows = page.locator(".table tbody tr")
    return [await row.locator("th, td").nth(place).inner_text() for row in await rows.all()]


async def test_the_worst_come_first_and_a_name_sorts(page: Page) -> None:
    await judge_all(page, lines(users(["good", "broken", "mediocre"])))
    await expect(page.get_by_role("status")).to_contain_text("3 conversations judged")
    assert await column(page, "Conversation") == ["user-1", "user-2", "user-0"]
    await page.locator(".table thead").get_by_role("button", name="Overall").click()
    await expect(page.locator("th[aria-sort=descending]")).to_contain_text("Overall")
    assert await column(page, "Conversation") == ["user-0", "user-2", "user-1"]
    await page.get_by_label("Search").fill("user-2")
    assert await column(page, "Conversation") == ["user-2"]


async def test_a_row_opens_with_its_verdicts(page: Page) -> None:
    await judge_all(page, lines(users(["good", "broken"])))
    await page.get_by_role("button", name="user-1").click()
    await expect(page.get_by_role("article")).to_have_count(12)
    await expect(page.get_by_role("status")).to_contain_text("12 verdicts on user-1")


async def test_two_systems_differ_pair_by_pair_with_intervals(page: Page) -> None:
    good, bad = ["good", "good", "mediocre"], ["broken", "mediocre", "broken"]
    await judge_all(page, lines(users(good)), lines(users(bad)))
    table = page.get_by_role("region", name="B minus A, conversation by conversation")
    row = table.locator("tr", has_text="Overall")
    await expect(row).to_contain_text("\N{MINUS SIGN}")
    assert (await row.locator("td").first.inner_text()) == "3"
    assert " to " in await row.locator("td").nth(4).inner_text()
    await expect(page.get_by_role("region", name="Distributions")).to_contain_text("Not assessable")


async def test_csv_and_report_are_taken_away(page: Page) -> None:
    logs = users(["good", "broken"])
    logs[0]["id"] = "=cmd|<script>alert(1)</script>"
    await judge_all(page, lines(logs))
    async with page.expect_download() as saved:
        await page.get_by_role("button", name="Download CSV").click()
    text = read(await (await saved.value).path())
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == 24
    assert {row["conversation"] for row in rows} == {"'=cmd|<script>alert(1)</script>", "user-1"}
    async with page.expect_download() as saved:
        await page.get_by_role("button", name="Download report").click()
    report = read(await (await saved.value).path())
    assert "<script" not in report
    assert "src=" not in report
    assert "default-src 'none'" in report


async def test_means_are_those_of_the_numbers(page: Page) -> None:
    found = await page.evaluate(
        """async () => {
          const { mean, interval } = await import("./web/statistics.js");
          const few = [0, 1, 2, 3, 4, 4, 4, 2];
          const many = Array.from({length: 400}, (_, index) => index % 2);
          return [mean(few), interval(few), interval(few), interval([3]), interval([2, 2, 2]), interval(many)];
        }"""
    )
    assert found[0] == 2.5
    assert found[1] == found[2]
    assert found[1]["low"] < 2.5 < found[1]["high"]
    assert found[3] is None
    assert found[4] == {"low": 2, "high": 2}
    # 0.5 with a standard error of .025.
    assert found[5]["low"] == pytest.approx(0.451, abs=0.01)
    assert found[5]["high"] == pytest.approx(0.549, abs=0.01)


async def test_five_hundred_conversations_sort_without_a_long_task(page: Page) -> None:
    """Verdicts come from one real answer, repeated with other scores: what is measured is the page."""
    longest = await page.evaluate(
        """async ([log, count]) => {
          const { Table } = await import("./web/table.js");
          const { fill, waiting } = await import("./web/judged.js");
          const { allFactors } = await import("./web/catalogue.js");
          const factors = (await allFactors()).filter((one) => one.protocol === "core");
          const body = JSON.stringify({log});
          const headers = {"Content-Type": "application/json"};
          const answer = await (await fetch("score", {method: "POST", headers, body})).json();
          const rows = waiting(Array.from({length: count}, (_, index) => ({...log, id: `user-${index}`})), null);
          rows.forEach((row, index) => fill(row, {...answer, verdicts: answer.verdicts.map((one, place) =>
            ({...one, score: one.score === null ? null : (index * 7 + place) % 5}))}));
          const table = new Table(factors, () => {});
          document.querySelector("main").append(table.element);
          table.show(rows);
          const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          const tasks = [];
          new PerformanceObserver((list) => tasks.push(...list.getEntries().map((one) => one.duration))).observe({type: "longtask"});
          const worst = [];
          for (const name of ["overall", "coherence", "conversation", "flags", "novelty", "overall"]) {
            await frame(); await frame();
            tasks.length = 0;
            table.element.querySelector(`[data-column="${name}"] button`).click();
            await frame(); await frame();
            worst.push(Math.max(0, ...tasks));
          }
          return worst;
        }""",
        [example("good"), MANY],
    )
    await expect(page.locator(".place-of")).to_have_text(f"1 to 25 of {MANY}")
    # Other work on the machine can lengthen any one of them.
    assert sorted(longest)[len(longest) // 2] <= 100, longest


async def test_the_first_of_many_rows_is_there_within_a_second(page: Page) -> None:
    logs = [{**example("mediocre"), "id": f"user-{index}"} for index in range(MANY)]
    await page.get_by_role("link", name="Compare").click()
    await page.get_by_label("Conversations", exact=True).fill(lines(logs))
    waits: list[float] = []
    while len(waits) < 5 and (not waits or min(waits) >= 1000):  # the machine may be busy
        waits.append(
            await page.evaluate(
                """async () => {
                  const begun = performance.now();
                  const button = [...document.querySelectorAll("#view-compare button")];
                  document.querySelector(".compare").replaceChildren();
                  button.find((one) => one.textContent === "Judge all").click();
                  while (!document.querySelector(".table tbody tr")) await new Promise((done) => setTimeout(done, 10));
                  return performance.now() - begun;
                }"""
            )
        )
        await page.get_by_role("button", name="Stop").click()
        await expect(page.get_by_role("button", name="Judge all")).to_be_enabled()
    assert min(waits) < 1000, waits
