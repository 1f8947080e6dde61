"""The page of `crs-eval live`: Chromium looks at it while conversations come."""

import hashlib
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Literal

import httpx2
import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.async_api import Browser, Page, expect

from tests.browser.conftest import AXE, Conduct, opening
from tests.factories import in_turns
from tests.live_process import running_live

GOOD = ("A slow drama, please.", "Paper Lanterns may suit you: a slow, quiet drama about two sisters.")
BAD = ("A slow drama, please.", "asdf asdf")


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("live")
    settings = {"LIVE_SETTLE": "1s", "LIVE_FACTORS": "coherence,explainability", "LIVE_KEEP_TEXT": "true"}
    with running_live(settings, folder) as url:
        yield url


@pytest.fixture
async def live_page(browser: Browser, live: str, conduct: Conduct) -> AsyncIterator[Page]:
    async with opening(browser, conduct, live) as page:
        await page.goto(live)
        yield page


def post(url: str, name: str, system: str, texts: tuple[str, str]) -> None:
    messages = [{"index": place, **said} for place, said in enumerate(in_turns(*texts))]
    body = {"system": system, "messages": messages, "complete": True}
    httpx2.post(f"{url}/live/conversations/{name}/messages", json=body).raise_for_status()


async def test_conversations_appear_as_they_are_judged(live_page: Page, live: str) -> None:
    last = live_page.get_by_role("region", name="Last judged")
    await expect(last).to_contain_text("Nothing yet.")
    post(live, "first", "shop-1", GOOD)
    await expect(last.get_by_role("button", name="first")).to_be_visible()
    trend = live_page.get_by_role("region", name="Trend by factor")
    await expect(trend.get_by_role("img", name="Coherence")).to_be_visible()
    await expect(trend).to_contain_text("1 conversation")
    post(live, "second", "shop-2", BAD)
    await expect(last.locator("tbody tr").first).to_contain_text("second")
    worst = live_page.get_by_role("region", name="Worst first")
    await expect(worst.locator("tbody th").first).to_have_text("second")
    await expect(worst.locator("tbody td").nth(1)).to_have_text(re.compile("[a-z]"))  # its faults
    await expect(live_page.get_by_role("region", name="Alarms")).to_contain_text("None.")


async def test_a_click_leads_to_the_verdicts(live_page: Page, live: str) -> None:
    post(live, "clicked", "shop-1", GOOD)
    last = live_page.get_by_role("region", name="Last judged")
    button = last.get_by_role("button", name="clicked")
    await button.click()
    dialog = live_page.get_by_role("dialog", name="clicked")
    await expect(dialog.get_by_role("article", name="Coherence")).to_contain_text("of 4")
    await expect(dialog).to_contain_text(GOOD[1])
    await live_page.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()
    await expect(button).to_be_focused()


async def test_one_system_alone(live_page: Page, live: str) -> None:
    post(live, "of-one", "shop-1", GOOD)
    post(live, "of-two", "shop-2", GOOD)
    last = live_page.get_by_role("region", name="Last judged")
    await expect(last).to_contain_text("of-two")
    await live_page.get_by_label("System", exact=True).select_option("shop-1")
    await expect(last).not_to_contain_text("of-two")
    await expect(last).to_contain_text("of-one")


@pytest.mark.parametrize("width", [360, 1440])
async def test_machines_read_it_and_it_fits(live_page: Page, live: str, width: int) -> None:
    post(live, "seen", "shop-1", GOOD)
    await live_page.set_viewport_size({"width": width, "height": 900})
    await expect(live_page.get_by_role("button", name="seen").first).to_be_visible()
    for name in ("Now", "Mean"):
        head = live_page.get_by_role("columnheader", name=name).first
        assert await head.evaluate("one => getComputedStyle(one).textAlign") == "right"
    await live_page.evaluate(AXE_SCRIPT)
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        await live_page.emulate_media(color_scheme=scheme)
        found = await live_page.evaluate("o => axe.run(document, o)", AXE[scheme])
        assert [one["id"] for one in found["violations"]] == [], scheme
    assert await live_page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_a_key_is_asked_for_and_used(browser: Browser, tmp_path: Path) -> None:
    keys = f"team:score:{hashlib.sha256(b's3cret').hexdigest()}"
    async with await browser.new_context() as context:
        page = await context.new_page()
        with running_live({"API_KEYS": keys}, tmp_path) as url:
            await page.goto(url)
            status = page.get_by_role("status")
            await expect(status).to_have_text(
                "This service asks for a key: give it under Service key, at the top."
            )
            await page.get_by_text("Service key", exact=True).click()
            for key, message in (("another", "does not know the key"), ("s3cret", "0 open")):
                await page.get_by_label("Key, where the application asks for one").fill(key)
                await expect(status).to_contain_text(message)


async def test_an_application_that_stops_is_told(browser: Browser, tmp_path: Path) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page()
        with running_live({}, tmp_path) as url:
            await page.goto(url)
            await expect(page.get_by_role("status")).to_contain_text("0 open")
        await expect(page.get_by_role("status")).to_contain_text("does not answer")
