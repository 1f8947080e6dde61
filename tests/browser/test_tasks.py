"""Six things that people come for, on a phone, walked with a mouse that counts its clicks: none takes over four. A scripted model
judges: it lists the faults that marked sentences stand for."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.conftest import Conduct, first_example, lines
from tests.factories import in_turns
from tests.patience import PATIENCE
from tests.provider.behaviours import Answer, Payload
from tests.provider.server import ProviderServer
from tests.provider.speech import compose, prompt_of, schema_of
from tests.registries import VERDICTS
from tools.service_process import running_service

ROOT = Path(__file__).parent.parent.parent
MOST = 4
PHONE = 390
COUNT = """
window.clicks = 0;
addEventListener("click", (event) => { if (event.isTrusted && event.detail > 0) clicks++; }, true);
"""
TASKS = dict(re.findall(r"^\| ([A-Z][^|]+?) \| (\d):", (ROOT / "docs" / "page.md").read_text(), re.MULTILINE))
MARKS = {"Take the dearer one as well.": "pushy", "You would not get it anyway.": "rude"}
GOOD = "The lamp Vega costs 30 euros, and its light is warm."
RISKY = "unsafe"


def reader(payload: Payload) -> str:
    """List the faults of marked sentences. Of an exam's conversation, `unsafe` in those of an even length."""
    prompt, schema = prompt_of(payload), schema_of(payload)
    if schema is None or "faults" not in schema["properties"]:
        return compose(payload)
    said = re.findall(r"^\[(\d+)\] recommender: (.*)$", prompt, re.MULTILINE)
    found = [
        {"message": int(place), "fault": fault, "severity": "plain", "quote": mark}
        for place, text in said
        for mark, fault in MARKS.items()
        if mark in text
    ]
    if (
        not any("lamp" in text for _, text in said)
        and said
        and len("".join(text for _, text in said)) % 2 == 0
    ):
        place, text = said[-1]
        found.append({"message": int(place), "fault": RISKY, "severity": "plain", "quote": text.strip()[:40]})
    whole = {"errors_pointed_out": [], "recommending_replies": [int(place) for place, _ in said]}
    asked = {name: whole[name] for name in whole if name in schema["properties"]}
    return json.dumps({**asked, "faults": found, "replies_read": len(said)})


def log(name: str, *marks: str) -> dict[str, Any]:
    """A conversation about a lamp, with one marked sentence in a reply each."""
    messages = [{"role": "user", "content": "A lamp for my desk?"}, {"role": "assistant", "content": GOOD}]
    for mark in marks:
        messages += in_turns("No, nothing else, thanks.", f"The lamp is yours. {mark}")
    return {"id": name, "messages": messages}


PUSHY, RUDE = MARKS


def run_of(day: str, pushy: int) -> list[dict[str, Any]]:
    """Forty conversations of a day; so many are pushy, and four are rude."""
    marks = [[*([PUSHY] if n < pushy else []), *([RUDE] if n % 10 == 9 else [])] for n in range(40)]
    return [log(f"{day}-{n}", *each) for n, each in enumerate(marks)]


@pytest.fixture(scope="module")
def judged_by_reader() -> Iterator[str]:
    with ProviderServer(Answer(reader)) as provider:
        settings = {
            "UPSTREAM_LOCAL": provider.openai_url,
            "JUDGES": "builtin,local:*",
            "JUDGE": "local:reader",
            "JUDGING": "faults",
        }
        with running_service(settings) as url:
            yield url


@pytest.fixture
async def stranger(browser: Browser, judged_by_reader: str, conduct: Conduct) -> AsyncIterator[Page]:
    """The page on a phone, which counts the clicks of a mouse."""
    async with await browser.new_context(viewport={"width": PHONE, "height": 900}) as context:
        page = await context.new_page()
        conduct.watch(page, judged_by_reader)
        page.set_default_timeout(PATIENCE * 1000)
        await page.add_init_script(COUNT)
        await context.grant_permissions(["clipboard-read", "clipboard-write"])
        await page.goto(judged_by_reader)
        await first_example(page)
        yield page
        assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE


async def paste(page: Page, text: str) -> None:
    """As a person pastes who has clicked nowhere."""
    await page.evaluate("text => navigator.clipboard.writeText(text)", text)
    await page.keyboard.press("Control+V")


async def judge(page: Page, given: dict[str, Any]) -> None:
    await paste(page, json.dumps(given))
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text(f"{VERDICTS} on {given['id']}")


async def compare(page: Page, given: list[dict[str, Any]]) -> None:
    await page.get_by_role("link", name="Compare").click()
    await paste(page, lines(given))
    await page.get_by_role("button", name="Compare", exact=True).click()
    await expect(page.locator("#view-compare").get_by_role("status")).to_contain_text(
        f"{len(given)} conversations judged"
    )


async def took(page: Page, task: str) -> None:
    """Fails where the clicks so far are not those that the docs tell, or more than four."""
    clicks = await page.evaluate("clicks")
    assert clicks <= MOST
    assert clicks == int(TASKS[task]), task


async def test_why_a_conversation_lost_points(stranger: Page) -> None:
    await judge(stranger, log("bad", PUSHY, PUSHY, RUDE))
    said = stranger.get_by_role("region", name="Conclusion").locator(".sentence")
    named = [one.lower() for one in await said.get_by_role("button").all_inner_texts()]
    assert named == ["message 3", "message 5", "message 7"]
    await said.get_by_role("button").first.click()
    message = stranger.locator(".message.assistant:focus")
    await expect(message).to_be_in_viewport()
    await expect(message.locator("details[open][data-fault=pushy]")).to_be_visible()
    await expect(message.locator("mark")).to_have_text(PUSHY)
    await took(stranger, "Find why a conversation lost points")


async def test_which_faults_grew_since_yesterday(stranger: Page) -> None:
    await stranger.get_by_role("link", name="Compare").click()
    async with stranger.expect_file_chooser() as waiting:
        await stranger.get_by_label("Open files").click()
    files: list[Any] = [
        {"name": f"{day}.jsonl", "mimeType": "text/plain", "buffer": lines(run_of(day, pushy)).encode()}
        for day, pushy in (("yesterday", 2), ("today", 20))
    ]
    await (await waiting.value).set_files(files)
    await stranger.get_by_role("button", name="Compare", exact=True).click()
    said = stranger.get_by_role("region", name="Faults", exact=True).locator(".sentence")
    await expect(said.locator("strong")).to_contain_text("5 % → 50 %")
    rows = stranger.locator(".faults-table tbody")
    await expect(rows.first).to_have_attribute("data-fault", "pushy")
    await expect(rows.locator(".beyond")).to_have_count(1)  # rude is as frequent as it was
    box = stranger.get_by_role("region", name="Faults by rate")
    assert await box.evaluate("box => box.scrollWidth <= box.clientWidth")
    await took(stranger, "Find which faults increased since yesterday")


async def test_all_pushy_replies(stranger: Page) -> None:
    await compare(stranger, run_of("today", 7))
    table = stranger.locator(".conversations")
    await expect(table.locator("[data-column=system]")).to_be_hidden()  # no log names one
    await expect(table.locator("tbody tr").first).to_contain_text("Pushy")
    await stranger.locator(".by-fault [data-fault=pushy] button").first.click()
    replies = stranger.locator("[data-fault=pushy] .examples-list > li")
    await expect(replies).to_have_count(7)
    for text in await replies.locator(".said").all_inner_texts():
        assert PUSHY in text
    await took(stranger, "See all pushy replies")
    await replies.first.get_by_role("button").click()
    await expect(stranger.locator("#view-score .message:focus mark")).to_have_text(PUSHY)


async def test_whether_a_judge_is_good_enough_for_unsafe_remarks(
    stranger: Page, judged_by_reader: str
) -> None:
    answer = await stranger.request.post(f"{judged_by_reader}/exam", data={"faults": [RISKY]})
    rows = (await answer.json())["report"]["rows"]
    [expected] = [row["sensitivity"] for row in rows if (row["by"], row["name"]) == ("fault", RISKY)]
    await stranger.get_by_role("link", name="Exam").click()
    await stranger.get_by_label("Faults").select_option(RISKY)
    await stranger.get_by_role("button", name="Examine").click()
    row = stranger.locator(f".heat tr[data-fault={RISKY}]")
    await expect(row.locator("td").first).to_contain_text(f"n {expected['n']}")
    shown = float(await row.locator(".badge-score").first.inner_text())
    assert shown == pytest.approx(expected["value"], abs=0.006)
    assert await row.locator(".cell.right").count() >= 1
    await took(stranger, "Check whether a judge detects unsafe remarks")


async def test_ten_are_labelled(stranger: Page) -> None:
    await compare(stranger, run_of("today", 3)[:12])
    await stranger.get_by_role("link", name="Label").click()
    await stranger.get_by_label("Your name").click()
    await stranger.keyboard.type("anna")
    await stranger.keyboard.press("Enter")
    await expect(stranger.get_by_role("heading", name="Conversation 1 of")).to_be_visible()
    for number in range(10):
        await stranger.keyboard.press(str(number % 5))
    await expect(stranger.get_by_role("heading", name="Conversation 11 of")).to_be_visible()
    await took(stranger, "Label ten conversations")


async def test_a_link_shows_a_colleague_the_same(stranger: Page) -> None:
    await judge(stranger, log("mine", RUDE))
    await stranger.get_by_role("button", name="Copy link").click()
    await expect(stranger.get_by_text("Copy link: copied.")).to_be_visible()
    await took(stranger, "Share a link")
    link = str(await stranger.evaluate("navigator.clipboard.readText()"))
    other = await stranger.context.new_page()
    await other.goto(link)
    await other.get_by_role("button", name="Judge", exact=True).click()
    await expect(other.locator(".message .fault[data-fault=rude]")).to_be_visible()
