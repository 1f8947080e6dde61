"""Properties of every view: reachable by keyboard, readable by machines, small, discreet."""

import gzip
import hashlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.conftest import Conduct, pick
from tests.registries import VERDICTS
from tools.service_process import running_service

FOLDER = Path(__file__).parent.parent.parent / "service" / "web" / "page"
KEY = "s3cret-of-the-team"
UNUSUAL = "sésame \N{LEFT DOUBLE QUOTATION MARK}s3cret"
"""A key that no header can carry as a text: callers send its bytes."""


def test_the_page_is_small() -> None:
    served = [path for path in FOLDER.iterdir() if path.name != "wire.d.ts"]
    assert sum(len(gzip.compress(path.read_bytes())) for path in served) < 120_000


async def test_what_is_large_comes_compressed_and_under_a_strict_policy(page: Page, service: str) -> None:
    for name in ("page.js", "page.css", "report.html"):
        answer = await page.request.get(f"{service}/web/{name}", headers={"Accept-Encoding": "gzip"})
        assert answer.headers["content-encoding"] == "gzip", name
    policy = (await page.request.get(service)).headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")


async def test_an_example_is_judged_by_keyboard_alone(page: Page) -> None:
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="To the content")).to_be_focused()
    await page.get_by_role("button", name="Good", exact=True).focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_contain_text(f"{VERDICTS} on good")
    await page.locator(".card .head").first.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".card.selected")).to_have_count(1)


@pytest.fixture(scope="module")
def guarded() -> Iterator[str]:
    """A service that asks for a key."""
    keys = (
        f"{name}:score:{hashlib.sha256(key.encode()).hexdigest()}"
        for name, key in {"team": KEY, "unusual": UNUSUAL}.items()
    )
    with running_service({"API_KEYS": ",".join(keys)}) as url:
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
        # Chromium itself notes a status of 401 in the console.
        assert not [one for one in conduct.complaints if "401" not in one]


async def test_a_key_is_asked_for_used_and_kept_nowhere(guarded_page: Page) -> None:
    page = guarded_page
    await pick(page, "good")
    await page.get_by_role("button", name="Judge", exact=True).click()
    alert = page.get_by_role("alert")
    await expect(alert).to_contain_text("asks for a key")
    assert "Authorization" not in await alert.inner_text()
    await alert.get_by_role("button", name="Give the key").click()
    await expect(page.get_by_label("Key, where the service asks for one")).to_be_focused()
    await page.keyboard.type("another")
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(alert).to_contain_text("does not know the key")
    for key in (f"{KEY}\N{HORIZONTAL ELLIPSIS}", UNUSUAL, KEY):
        field = page.get_by_label("Key, where the service asks for one")
        if not await field.is_visible():
            await page.get_by_text("Service key", exact=True).click()
        await field.fill(key)
        await page.get_by_role("button", name="Judge", exact=True).click()
        if key in (UNUSUAL, KEY):
            await expect(page.get_by_role("status")).to_contain_text(VERDICTS)
        else:
            await expect(alert).to_contain_text("does not know the key")
    kept = await page.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])"
    )
    assert "s3cret" not in kept
    await page.reload()
    assert await page.get_by_label("Key, where the service asks for one").input_value() == ""


async def test_the_field_for_the_key_covers_the_views_no_longer_than_it_is_used(page: Page) -> None:
    await page.set_viewport_size({"width": 390, "height": 844})
    field = page.get_by_label("Key, where the service asks for one")
    summary = page.get_by_text("Service key", exact=True)
    for key in ("Enter", "Escape"):
        await summary.click()
        await field.press(key)
        await expect(field).to_be_hidden()
        await expect(summary).to_be_focused()
    await summary.click()
    await expect(field).to_be_visible()
    await field.click()
    await page.locator(".brand").click()
    await expect(field).to_be_hidden()
