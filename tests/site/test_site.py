"""The site of the documentation: complete, reachable, readable in Chromium without a network."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import Browser, Page, async_playwright, expect

from service.factors.catalogue import load_factors
from service.faults import load_faults
from tools.programs import BROWSER_ADVICE, find_chromium

ROOT = Path(__file__).parent.parent.parent
QUESTIONS = {
    "How do I use my own logs?": "importing/",
    "How do I stop a bad change in CI?": "gate/",
    "Which language model can judge, and what does it cost?": "language-models/",
    "How do I run it in a cluster, and who may call it?": "install/",
    "What does an error mean?": "access-and-limits/",
    "What does each factor mean, and which paper is it from?": "reference/factors/",
    "How good is the embedded judge?": "limits/",
    "How do I get users to talk to my recommender?": "simulated-users/",
    "How do I get one overall score with arguments?": "debate/",
    "How do I get from judges' scores to people's scores?": "calibration/",
}
SEARCHES = {
    "cost of gpt": "language-models/",
    "tool call": "messages/",
    "pytest": "gate/",
    "calibrate": "calibration/",
    "no-reply": "reference/faults/",
    "import chats": "importing/",
    "exam": "exam/",
    "gate": "gate/",
    "redis": "access-and-limits/",
    "delete user": "live/",
    "recoverability": "reference/factors/",
}
"""Words that people search for, and the page that explains them."""


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Chromium that resolves no name but this machine's."""
    path = find_chromium()
    if path is None:
        pytest.fail(BROWSER_ADVICE)
    flags = ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        await browser.close()


async def _page(browser: Browser, address: str, elsewhere: list[str], **settings: object) -> Page:
    page = await browser.new_page(**settings)  # type: ignore[arg-type]
    page.on("request", lambda asked: None if asked.url.startswith(address) else elsewhere.append(asked.url))
    await page.goto(f"{address}/")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
async def test_the_start_page_reads_well_and_asks_nobody_else(
    browser: Browser, address: str, width: int, scheme: str
) -> None:
    elsewhere: list[str] = []
    page = await _page(
        browser, address, elsewhere, viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    await expect(page.get_by_role("heading", name="Five minutes")).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    found = await Axe().run(page, context="article")
    serious = [one["id"] for one in found.response["violations"] if one["impact"] in ("serious", "critical")]
    assert serious == []
    assert elsewhere == []
    await page.close()


@pytest.fixture(scope="module")
def places(pages: Path) -> list[str]:
    """The addresses of all pages, relative to the site."""
    return [found.parent.relative_to(pages).as_posix() for found in sorted(pages.rglob("index.html"))]


async def test_no_page_is_wider_than_a_phone(browser: Browser, address: str, places: list[str]) -> None:
    elsewhere: list[str] = []
    page = await _page(browser, address, elsewhere, viewport={"width": 390, "height": 844})
    assert len(places) > 50
    wide = []
    for place in places:
        await page.goto(f"{address}/{place}/")
        if await page.evaluate("document.documentElement.scrollWidth") > 390:
            wide.append(place)
    assert (wide, elsewhere) == ([], [])
    await page.close()


@pytest.mark.parametrize(("question", "place"), QUESTIONS.items())
def test_a_newcomers_question_is_answered_one_click_from_the_start(
    pages: Path, question: str, place: str
) -> None:
    start = (pages / "index.html").read_text(encoding="utf-8")
    row = re.search(rf"<td>{re.escape(question)}</td>\s*<td>(.*?)</td>", start, re.DOTALL)
    assert row is not None
    assert f'href="{place}' in row[1]
    assert (pages / place / "index.html").exists()


@pytest.mark.parametrize(("words", "place"), SEARCHES.items())
async def test_a_search_puts_the_page_that_explains_it_first(
    browser: Browser, address: str, words: str, place: str
) -> None:
    page = await _page(browser, address, [], viewport={"width": 1440, "height": 900})
    await page.get_by_role("textbox", name="Search").press_sequentially(words)
    results = page.locator("a.md-search-result__link")
    await expect(results.first).to_have_attribute("href", re.compile(rf"/{re.escape(place)}(\?|#|$)"))
    found = [await result.get_attribute("href") for result in await results.all()]
    assert not [one for one in found if one and "/decisions" in one]
    await page.close()


def test_the_reference_holds_every_route_model_and_factor(pages: Path) -> None:
    contract = json.loads((ROOT / "openapi" / "openapi.json").read_text(encoding="utf-8"))
    api = (pages / "reference" / "api" / "index.html").read_text(encoding="utf-8")
    for path, operations in contract["paths"].items():
        assert all(f"{method.upper()} {path}" in api for method in operations)
    assert all(f'id="{name.lower()}"' in api for name in contract["components"]["schemas"])
    factors = (pages / "reference" / "factors" / "index.html").read_text(encoding="utf-8")
    assert all(f"<code>{slug}</code>" in factors for slug in load_factors())
    faults = (pages / "reference" / "faults" / "index.html").read_text(encoding="utf-8")
    assert all(f"<code>{slug}</code>" in faults for slug in load_faults())


async def test_every_kind_of_page_has_its_section(browser: Browser, address: str) -> None:
    page = await _page(browser, address, [], viewport={"width": 1440, "height": 900})
    tabs = await page.locator(".md-tabs__link").all_inner_texts()
    assert tabs == ["Start", "Tutorials", "How-to", "Reference", "Explanation", "Measured"]
    await page.close()


def test_every_page_says_whom_it_is_for(pages: Path) -> None:
    staged = sorted(pages.with_name("pages").rglob("*.md"))
    assert len(staged) > 50
    begun = {page: page.read_text(encoding="utf-8")[:900] for page in staged}
    silent = [
        page.name
        for page, text in begun.items()
        if not re.search(r"^(What changed for|For) \w", text, re.MULTILINE)
    ]
    assert silent == []
