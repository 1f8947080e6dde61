"""What holds for every view: reachable by keyboard, readable by machines, small, discreet."""

import gzip
import hashlib
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.async_api import Browser, Page, expect

from tests.browser.conftest import Conduct
from tools.service_process import running_service

FOLDER = Path(__file__).parent.parent.parent / "service" / "web" / "page"
KEY = "s3cret-of-the-team"
LOOKS: dict[int, Literal["light", "dark"]] = {360: "light", 2560: "dark"}
SERIOUS = {"serious", "critical"}


async def fill_score(page: Page) -> None:
    await page.get_by_label("Or an example").select_option("broken")
    await (
        page.get_by_role("region", name="Judge a conversation")
        .get_by_text("Factors: the twelve of core")
        .click()
    )
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text("12 verdicts")
    await page.locator(".message .chip").first.click()


async def fill_debate(page: Page) -> None:
    await page.get_by_label("Or an example").select_option("good")
    await page.get_by_role("button", name="Debate", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text("Debated in")


async def fill_simulate(page: Page) -> None:
    await page.get_by_role("button", name="Begin").click()
    await expect(page.get_by_label("Your reply")).to_be_focused()


async def fill_compare(page: Page) -> None:
    logs = json.loads((FOLDER / "examples.json").read_text())
    text = json.dumps([one["request"]["log"] for one in logs])
    await page.get_by_label("Conversations", exact=True).fill(text)
    await page.get_by_role("button", name="Judge all").click()
    await expect(page.get_by_role("status")).to_contain_text("5 conversations judged")


VIEWS = {"score": fill_score, "debate": fill_debate, "simulate": fill_simulate, "compare": fill_compare}


@pytest.mark.parametrize("view", VIEWS)
async def test_axe_finds_nothing_serious_and_nothing_runs_over(page: Page, view: str) -> None:
    await page.goto(f"{page.url}#{view}")
    await VIEWS[view](page)
    await page.evaluate(AXE_SCRIPT)
    for width, scheme in LOOKS.items():
        await page.set_viewport_size({"width": width, "height": 900})
        await page.emulate_media(color_scheme=scheme)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        found = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        told = [
            (one["id"], node["html"], node["failureSummary"])
            for one in found["violations"]
            if one["impact"] in SERIOUS
            for node in one["nodes"]
        ]
        assert not told, (width, scheme)


def test_the_page_is_small() -> None:
    served = [path for path in FOLDER.iterdir() if path.name != "wire.d.ts"]
    assert sum(len(gzip.compress(path.read_bytes())) for path in served) < 300_000


async def test_an_example_is_judged_by_keyboard_alone(page: Page) -> None:
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="To the content")).to_be_focused()
    await page.get_by_label("Or an example").focus()
    await page.keyboard.type("good")
    await page.get_by_role("button", name="Judge", exact=True).focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_contain_text("12 verdicts on good")
    await page.locator(".bar button").first.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".card.selected")).to_be_focused()


@pytest.fixture(scope="module")
def guarded() -> Iterator[str]:
    """A service that asks for a key."""
    with running_service({"API_KEYS": f"team:score:{hashlib.sha256(KEY.encode()).hexdigest()}"}) as url:
        yield url


@pytest.fixture
async def guarded_page(browser: Browser, guarded: str) -> AsyncIterator[Page]:
    async with await browser.new_context() as context:
        conduct = Conduct()
        page = await context.new_page()
        conduct.watch(page, guarded)
        await page.goto(guarded)
        yield page
        assert not conduct.elsewhere


async def test_a_key_is_asked_for_used_and_kept_nowhere(guarded_page: Page) -> None:
    page = guarded_page
    await page.get_by_label("Or an example").select_option("good")
    await page.get_by_role("button", name="Judge", exact=True).click()
    alert = page.get_by_role("alert")
    await expect(alert).to_contain_text("asks for a key")
    assert "Authorization" not in await alert.inner_text()
    await alert.get_by_role("button", name="Give the key").click()
    await expect(page.get_by_label("Key, where the service asks for one")).to_be_focused()
    await page.keyboard.type("another")
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(alert).to_contain_text("does not know the key")
    await page.get_by_label("Key, where the service asks for one").fill(KEY)
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text("12 verdicts")
    kept = await page.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])"
    )
    assert "s3cret" not in kept
    await page.reload()
    assert await page.get_by_label("Key, where the service asks for one").input_value() == ""


async def test_a_service_that_is_gone_is_told(browser: Browser) -> None:
    with running_service({}) as url:
        context = await browser.new_context()
        page = await context.new_page()
        await page.goto(url)
        await page.get_by_label("Or an example").select_option("good")
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("The service did not answer")
    await expect(page.locator(".bar")).to_have_count(0)
    await context.close()
