"""Many conversations on the page: judged, sorted, filtered, compared, taken away."""

import json
from pathlib import Path
from typing import Any

from playwright.async_api import Page, Route, expect

from tests.browser.conftest import example, fill_sources, lines, users
from tests.factories import in_turns

MANY = 500
SCROLL = """async () => {
  const frames = [];
  const table = document.querySelector(".table .scroll");
  table.scrollIntoView();
  table.scrollTop = 0;
  let last = performance.now();
  for (let turn = 0; turn < 280; turn++) {
    table.scrollBy(0, 60);
    await new Promise((done) => requestAnimationFrame(done));
    frames.push(performance.now() - last);
    last = performance.now();
  }
  return frames.sort((a, b) => a - b);
}"""
"""From the first row of a table to the last; how long (ms) each frame took, in order."""


async def judge_all(page: Page, *texts: str) -> None:
    await page.get_by_role("link", name="Compare").click()
    await fill_sources(page, *texts)
    await page.get_by_role("button", name="Compare", exact=True).click()


async def open_files(page: Page, folder: Path, *texts: str) -> None:
    """Open each text as a file, as people do with what is long."""
    await page.get_by_role("link", name="Compare").click()
    paths = [folder / f"{letter}.jsonl" for letter, _ in zip("ab", texts, strict=False)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    await page.get_by_label("Open files").set_input_files(paths)
    await expect(page.locator(".sources > .hint")).to_contain_text(f"{MANY} conversations")
    await expect(page.locator(".sources .held").first).to_contain_text("characters, not shown")


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


async def test_a_press_counts_while_the_page_says_what_it_read(page: Page) -> None:
    """The button stands still although the number of conversations appears above it."""
    await page.get_by_role("link", name="Compare").click()
    await fill_sources(page, lines(users(["good", "broken"])))
    button = page.get_by_role("button", name="Compare", exact=True)
    before = await button.bounding_box()
    await expect(page.locator(".sources > .hint")).to_contain_text("they share no conversation")
    assert await button.bounding_box() == before


async def test_two_systems_differ_pair_by_pair_with_intervals(page: Page) -> None:
    good, bad = ["good", "good", "mediocre"] * 2, ["broken", "mediocre", "broken"] * 2
    await page.get_by_role("link", name="Compare").click()
    await page.get_by_role("button", name="Add another system").click()
    for letter in "AB":
        await page.get_by_label(f"Name of system {letter}").fill(letter)
    await judge_all(page, lines(users(good)), lines(users(bad)))
    table = page.get_by_role("region", name="B minus A, conversation by conversation")
    row = table.locator("tr", has_text="Overall")
    await expect(row).to_contain_text("\N{MINUS SIGN}")
    assert (await row.locator("td").last.inner_text()) == "6"
    assert " to " in await row.locator("td").nth(1).inner_text()
    # All factors together come first. A difference that chance could give has no colour, nor has one of few pairs.
    await expect(table.locator("tbody").first.locator("th")).to_have_text("Overall")
    for one in await table.locator("tbody tr").all():
        interval = await one.locator("td").nth(1).inner_text()  # empty of a single pair
        low, high = (
            float(text.replace("\N{MINUS SIGN}", "-")) for text in (interval or "0 to 0").split(" to ")
        )
        coloured = await one.locator(".change").evaluate("one => one.matches('[class*=level-]')")
        pairs = int(await one.locator("td").last.inner_text())
        assert coloured == (pairs > 5 and (low > 0 or high < 0))
    await expect(page.get_by_role("region", name="Distributions")).to_contain_text("Not assessable")


async def answer_lines(route: Route, answer: dict[str, Any]) -> None:
    """Answer every line of a batch with this answer, each under different scores."""
    rows = []
    for line in (route.request.post_data or "").splitlines():
        name = json.loads(line)["custom_id"]
        verdicts = [
            {**one, "score": None if one["score"] is None else (int(name) * 7 + place) % 5}
            for place, one in enumerate(answer["verdicts"])
        ]
        rows.append({"line": 1, "custom_id": name, "status": 200, "body": {**answer, "verdicts": verdicts}})
    await route.fulfill(body=lines(rows))


LEAK = "Try {{title}} (1987), a quiet film."


def leaking(day: str, count: int, size: int = 30) -> list[dict[str, Any]]:
    """Conversations of which so many show a placeholder."""
    said = [LEAK if place < count else "Try Paper Lanterns, a quiet film." for place in range(size)]
    return [
        {"id": f"{day}-{place}", "messages": in_turns("A quiet film?", text)}
        for place, text in enumerate(said)
    ]


async def test_faults_of_a_run_stand_by_rate_beside_those_of_an_earlier_one(page: Page) -> None:
    await judge_all(page, lines(leaking("monday", 1)))
    await expect(page.get_by_role("status")).to_contain_text("30 conversations judged")
    await page.reload()
    await expect(page.get_by_role("status")).to_contain_text("30 conversations judged")
    await page.locator(".form > summary").click()
    await fill_sources(page, lines(leaking("tuesday", 12)))
    await page.get_by_role("button", name="Compare", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text("30 conversations judged")
    row = page.locator(".faults-table [data-fault=template-leak]")
    await expect(row.locator(".rate")).to_contain_text("12 of 30")
    await page.get_by_label("Compare faults with").select_option(index=1)
    await expect(row.locator(".rate").first).to_contain_text("1 of 30")
    await expect(row.locator(".rate").last).to_contain_text("12 of 30")
    await expect(row.locator(".beyond")).to_contain_text("+37 points")  # Fisher's exact p is .0011
    await row.get_by_role("button").first.click()
    await expect(row.locator(".examples-list > li")).to_have_count(13)
    await row.locator(".examples-list button").last.click()
    await expect(page.locator("#view-score .message:focus details[open]")).to_be_visible()


async def test_a_fault_of_three_conversations_more_may_be_chance(page: Page) -> None:
    sides = [leaking("user", 2), leaking("user", 5)]
    await judge_all(page, *map(lines, sides))
    await expect(page.get_by_role("status")).to_contain_text("60 conversations judged, 30 pairs")
    row = page.locator(".faults-table [data-fault=template-leak]")
    await expect(row.locator("td").nth(2)).to_have_text("+10 points")
    await expect(row.locator(".beyond")).to_have_count(0)


async def test_means_over_different_numbers_of_conversations_say_their_number(page: Page) -> None:
    logs = [
        {**one, "system": name} for name, size in (("a", 3), ("b", 4)) for one in leaking("user", 1, size)
    ]
    await judge_all(page, lines(logs))
    await expect(page.get_by_role("status")).to_contain_text("7 conversations judged")
    overall = page.get_by_role("region", name="Leaderboard").locator("tbody td:nth-of-type(1)")
    said = sorted([text.split("n ")[-1].strip() for text in await overall.all_inner_texts()])
    assert said == ["3", "4"]


async def test_five_hundred_conversations_of_two_systems_are_compared_and_scrolled_smoothly(
    page: Page, service: str, tmp_path: Path
) -> None:
    """From files that are opened to the last finding; the machine may be busy with others, so the best of a few runs counts."""
    log = example("good")
    answer = await (await page.request.post(f"{service}/score", data={"log": log})).json()
    await page.route("**/batch", lambda route: answer_lines(route, answer))
    await page.evaluate(
        """() => {
          window.tasks = [];
          new PerformanceObserver((list) => tasks.push(...list.getEntries().map((one) => one.duration))).observe({type: "longtask"});
        }"""
    )
    sides = [
        lines([{**log, "id": f"user-{index}", "system": name} for index in range(MANY // 2)]) for name in "ab"
    ]
    await open_files(page, tmp_path, *sides)
    reading = max(await page.evaluate("tasks"), default=0)
    assert reading < 250, reading
    longest: list[float] = []
    while len(longest) < 8 and min(longest, default=250) >= 250:
        await page.evaluate("tasks.length = 0")
        await page.get_by_role("button", name="Compare", exact=True).click()
        await expect(page.get_by_role("button", name="Stop")).to_be_hidden()
        longest.append(max(await page.evaluate("tasks"), default=0))
    await expect(page.get_by_role("status")).to_contain_text(
        f"{MANY} conversations judged, {MANY // 2} pairs"
    )
    assert min(longest) < 250, longest
    slow: list[float] = []
    while len(slow) < 4 and min(slow, default=100) >= 100:
        frames = await page.evaluate(SCROLL)
        slow.append(frames[int(len(frames) * 0.95)])
    # All of them came by.
    await expect(page.locator(".table tbody tr").last).to_have_attribute("aria-rowindex", str(MANY + 1))
    assert min(slow) < 100, slow
