"""README.md fits on one screen, rendered as GitHub renders it: a window of 1440 x 1000 pixels, and on a phone no wider than the screen."""

from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from playwright.async_api import Browser

from tools.service_process import ROOT

#: Pixels of a window: a screen of 1440 x 1080 without the system's and the browser's bars has somewhat less or more.
SCREEN = (1440, 1000)
PHONE = (390, 844)


@pytest.fixture(scope="module")
def readme(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of README.md as a page in GitHub's sizes."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    article = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    style = (Path(__file__).parent / "github.css").read_text(encoding="utf-8")
    page = tmp_path_factory.mktemp("readme") / "readme.html"
    page.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><base href="{ROOT.as_uri()}/">'
        f'<meta name="viewport" content="width=device-width"><style>{style}</style><article>{article}</article>',
        encoding="utf-8",
    )
    return page.as_uri()


async def test_it_fits_on_one_screen(browser: Browser, readme: str) -> None:
    page = await browser.new_page(viewport={"width": SCREEN[0], "height": SCREEN[1]})
    await page.goto(readme)
    height = await page.evaluate("document.querySelector('article').getBoundingClientRect().height")
    assert 500 < height <= SCREEN[1]
    assert await page.evaluate("[...document.images].map(one => one.naturalWidth > 0)") == [True]
    clipped = (
        "[...document.querySelectorAll('pre, table')].filter(one => one.scrollWidth > one.clientWidth).length"
    )
    assert await page.evaluate(clipped) == 0
    assert await page.locator("table").count() == 2
    await page.close()


async def test_a_phone_scrolls_down_alone(browser: Browser, readme: str) -> None:
    page = await browser.new_page(viewport={"width": PHONE[0], "height": PHONE[1]})
    await page.goto(readme)
    assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    await page.close()
