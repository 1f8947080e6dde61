"""A real Chromium that looks at a real service, and notes whatever a page should never do."""

import json
import os
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.async_api import Browser, Page, Request, async_playwright, expect

from tests.patience import PATIENCE
from tests.registries import VERDICTS
from tools.programs import BROWSER_ADVICE, BROWSER_NEEDED, find_chromium
from tools.service_process import ROOT, running_service

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
expect.set_options(timeout=PATIENCE * 1000)

LOGS = ROOT / "examples" / "logs"
_WIDTH, _, _SCHEME = os.environ.get("LOOK", "1280-light").partition("-")
LOOK: Final[dict[str, Any]] = {"viewport": {"width": int(_WIDTH), "height": 900}, "color_scheme": _SCHEME}
"""The width and the scheme of pages that ask for none: `make page-looks` runs every test in each."""

AXE: dict[str, Any] = {
    "light": {"resultTypes": ["violations"]},
    "dark": {"resultTypes": ["violations"], "runOnly": ["color-contrast", "link-in-text-block"]},
}
"""The rules that axe checks: in dark the page is the same but for its colours."""


@dataclass
class Conduct:
    """A page's messages and addresses."""

    complaints: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def watch(self, page: Page, origin: str) -> None:
        """Note errors of the console and requests that leave `origin`."""
        page.on(
            "console",
            lambda message: self.complaints.append(message.text) if message.type == "error" else None,
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

        def note(request: Request) -> None:
            if not request.url.startswith((f"{origin}/", f"blob:{origin}/")):
                self.elsewhere.append(request.url)

        page.on("request", note)


def chromium() -> Path:
    """The browser's program. Without one the test is skipped, or fails where browsers are needed."""
    path = find_chromium()
    if path is None:
        if os.environ.get(BROWSER_NEEDED):
            pytest.fail(BROWSER_ADVICE)
        pytest.skip(BROWSER_ADVICE)
    return path


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Chromium without a window: one for all, each test in a context of its own."""
    path = chromium()  # first: without a browser, a machine may lack what Playwright itself needs
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(browser, "new_context", partial(browser.new_context, **LOOK))
            yield browser
        await browser.close()


@pytest.fixture(scope="session")
def service() -> Iterator[str]:
    """The service with its defaults: its base URL."""
    with running_service({}) as url:
        yield url


@pytest.fixture
def conduct() -> Iterator[Conduct]:
    """Fails the test whose page complained or left its origin."""
    conduct = Conduct()
    yield conduct
    assert not conduct.elsewhere
    assert not conduct.complaints


@asynccontextmanager
async def opening(browser: Browser, conduct: Conduct, origin: str, **options: Any) -> AsyncIterator[Page]:
    """An empty page in a context of its own, which may ask `origin` alone."""
    async with await browser.new_context(**options) as context:
        page = await context.new_page()
        conduct.watch(page, origin)
        page.set_default_timeout(PATIENCE * 1000)
        yield page


@pytest.fixture
async def page(browser: Browser, service: str, conduct: Conduct) -> AsyncIterator[Page]:
    """The page, freshly opened."""
    async with opening(browser, conduct, service) as page:
        await page.goto(service)
        yield page


@pytest.fixture
async def opened(browser: Browser, conduct: Conduct) -> AsyncIterator[Page]:
    """A page for files, without a network."""
    async with opening(browser, conduct, "file:/", offline=True) as page:
        yield page


def example(name: str) -> dict[str, Any]:
    """The log of an example."""
    return dict(json.loads((LOGS / f"{name}.json").read_text())["log"])


def users(names: Sequence[str]) -> list[dict[str, Any]]:
    """Logs of examples, each of another user."""
    return [{**example(name), "id": f"user-{index}"} for index, name in enumerate(names)]


def lines(logs: Iterable[Mapping[str, Any]]) -> str:
    """Logs as JSON Lines."""
    return "\n".join(json.dumps(log) for log in logs)


async def looks_well(page: Page) -> None:
    """Narrow in light and wide in dark: axe finds nothing serious, and nothing is wider than the screen."""
    await page.evaluate(AXE_SCRIPT)
    for width, scheme in ((360, "light"), (2560, "dark")):
        await page.set_viewport_size({"width": width, "height": 900})
        await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        found = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        serious = [one["id"] for one in found["violations"] if one["impact"] in ("serious", "critical")]
        assert not serious, (width, scheme)


async def pick(page: Page, name: str) -> None:
    """Pick an example; the judging view judges it at once."""
    group = page.get_by_role("group", name="Examples")
    await group.get_by_role("button", name=name.capitalize(), exact=True).click()


async def judge(page: Page, given: Any) -> None:
    """Ask the judging view about a text, or about a value as JSON."""
    text = given if isinstance(given, str) else json.dumps(given)
    await page.get_by_role("textbox", name="Conversation", exact=True).fill(text)
    await page.get_by_role("button", name="Judge", exact=True).click()


async def judged(page: Page, given: Any) -> None:
    """The same, and wait for the verdicts."""
    await judge(page, given)
    await expect(page.get_by_role("status").first).to_contain_text(f"{VERDICTS} on")


async def first_example(page: Page) -> None:
    """Wait for the example that stands on the page before anything was asked."""
    await expect(page.locator(".example-note")).to_be_visible()
    await expect(page.get_by_role("region", name="Conclusion")).to_be_visible()


async def fill_sources(page: Page, *texts: str) -> None:
    """Give each text as a system of its own, in the view that compares."""
    fields = page.locator(".source textarea")
    for place, text in enumerate(texts):
        if await fields.count() <= place:
            await page.get_by_role("button", name="Add another system").click()
        await fields.nth(place).fill(text)
