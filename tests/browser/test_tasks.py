"""Five things that a stranger comes for, walked with a mouse that counts its clicks: none takes over four."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browser.conftest import Conduct, first_example
from tests.registries import VERDICTS

ROOT = Path(__file__).parent.parent.parent
LOGS = ROOT / "examples" / "logs"
MOST = 4
COUNT = """
window.clicks = 0;
addEventListener("click", (event) => { if (event.isTrusted && event.detail > 0) clicks++; }, true);
"""
TASKS = dict(
    re.findall(
        r"^\| ((?:Find|Say|Label|Send)[^|]+?) \| (\d)", (ROOT / "docs" / "page.md").read_text(), re.MULTILINE
    )
)


def example(name: str) -> dict[str, Any]:
    return dict(json.loads((LOGS / f"{name}.json").read_text())["log"])


def lines(system: str, name: str, count: int = 6) -> str:
    logs = [{**example(name), "id": f"user-{index}", "system": system} for index in range(count)]
    return "\n".join(map(json.dumps, logs))


@pytest.fixture
async def stranger(page: Page) -> Page:
    """The page, which counts the clicks of a mouse."""
    await page.add_init_script(COUNT)
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await page.reload()
    await first_example(page)
    return page


async def paste(page: Page, text: str) -> None:
    """As a person pastes who has clicked nowhere."""
    await page.evaluate("text => navigator.clipboard.writeText(text)", text)
    await page.keyboard.press("Control+V")


async def took(page: Page, task: str) -> None:
    """Fails where the clicks so far are not those that the docs tell, or more than four."""
    clicks = await page.evaluate("clicks")
    assert clicks <= MOST
    assert clicks == int(TASKS[task]), task


def test_the_docs_tell_of_five() -> None:
    assert len(TASKS) == 5


async def test_the_worst_reply_of_a_bad_conversation(stranger: Page) -> None:
    await paste(stranger, json.dumps({**example("broken"), "id": "bad"}))
    await stranger.get_by_role("button", name="Judge", exact=True).click()
    await expect(stranger.get_by_role("status")).to_contain_text(f"{VERDICTS} on bad")
    await (
        stranger.get_by_role("region", name="Conclusion")
        .get_by_role("button", name=re.compile(r"^message \d"))
        .click()
    )
    await expect(stranger.locator(".message.assistant:focus")).to_be_in_viewport()
    await took(stranger, "Find the worst reply of a bad conversation")


async def test_which_of_two_systems_is_better_and_how_sure(stranger: Page) -> None:
    await stranger.get_by_role("link", name="Compare").click()
    async with stranger.expect_file_chooser() as waiting:
        await stranger.get_by_label("Open files").click()
    files: list[Any] = [
        {"name": f"{system}.jsonl", "mimeType": "text/plain", "buffer": lines(system, name).encode()}
        for system, name in (("harbour", "good"), ("lantern", "broken"))
    ]
    await (await waiting.value).set_files(files)
    await expect(stranger.locator(".sources > .hint")).to_contain_text("6 pairs")
    await stranger.get_by_role("button", name="Compare", exact=True).click()
    said = stranger.locator("p.verdict")
    await expect(said).to_contain_text("harbour is better")
    await expect(said).to_contain_text(re.compile(r"95 %|interval| to "))
    await took(stranger, "Say which of two systems is better, and how sure")


async def test_ten_are_labelled(stranger: Page) -> None:
    await stranger.get_by_role("link", name="Compare").click()
    await paste(stranger, lines("harbour", "good", 12))
    await stranger.get_by_role("button", name="Compare", exact=True).click()
    await expect(stranger.get_by_role("status").first).to_contain_text("12 conversations judged")
    await stranger.get_by_role("link", name="Label").click()
    await stranger.get_by_label("Your name").click()
    await stranger.keyboard.type("anna")
    await stranger.keyboard.press("Enter")
    await expect(stranger.get_by_role("heading", name="Conversation 1 of")).to_be_visible()
    for number in range(10):
        await stranger.keyboard.press(str(number % 5))
    await expect(stranger.get_by_role("heading", name="Conversation 11 of")).to_be_visible()
    await took(stranger, "Label ten")


async def test_the_result_goes_to_a_colleague(stranger: Page) -> None:
    await paste(stranger, json.dumps({**example("good"), "id": "mine"}))
    await stranger.get_by_role("button", name="Judge", exact=True).click()
    await expect(stranger.get_by_role("status")).to_contain_text(f"{VERDICTS} on mine")
    async with stranger.expect_download() as waiting:
        await stranger.get_by_role("button", name="Download report").click()
    assert "<html" in (await (await waiting.value).path()).read_text()
    await took(stranger, "Send the result to a colleague")


async def test_why_a_log_was_refused(stranger: Page, conduct: Conduct) -> None:
    wrong = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "contents": "Hello."}]}
    await paste(stranger, json.dumps(wrong, indent=1))
    await stranger.get_by_role("button", name="Judge", exact=True).click()
    alert = stranger.locator(".results").get_by_role("alert")
    await expect(alert).to_contain_text("/log/messages/1")
    await alert.get_by_role("button", name="Show it in the text").first.click()
    chosen = "(text) => text.value.slice(text.selectionStart, text.selectionEnd)"
    assert "contents" in str(await stranger.get_by_label("Conversation", exact=True).evaluate(chosen))
    await took(stranger, "Find why a log was refused")
    conduct.complaints.clear()  # Chromium itself notes a status of 422
