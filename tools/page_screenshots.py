"""Pictures of every view of the page, narrow and wide, light and dark, into docs/screenshots.

They are for people: run it after a change to the page, look at them, commit them."""

import sys
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tools.ensure_chromium import ADVICE, find_chromium
from tools.example_crs import running_crs
from tools.service_process import ROOT, running_service

FOLDER = ROOT / "docs" / "screenshots"
WIDTHS = {"narrow": 360, "wide": 1280}
SCHEMES = ("light", "dark")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
)


def score(page: Page) -> None:
    """An example judged, a verdict selected."""
    page.get_by_label("Or an example").select_option("broken")
    page.get_by_role("button", name="Judge", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("12 verdicts on")
    page.locator(".message .chip").first.click()
    page.evaluate("scrollTo(0, 0)")


def debate(page: Page) -> None:
    """An example debated."""
    page.get_by_label("Or an example").select_option("mediocre")
    page.get_by_role("button", name="Debate", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Debated in")


def simulate(page: Page) -> None:
    """A session with the example recommender."""
    page.get_by_label("Recommender").fill("example")
    page.get_by_label("Persona").select_option("curiosity")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("status").first).to_contain_text("The session is over")


VIEWS: dict[str, Callable[[Page], None]] = {"score": score, "debate": debate, "simulate": simulate}


def main() -> int:
    """Take all pictures, or those of the views named."""
    browser_path = find_chromium()
    if browser_path is None:
        print(ADVICE, file=sys.stderr)
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[1:] or list(VIEWS)
    with running_crs() as crs, running_service({"CRS_ENDPOINTS": f"example={crs}/reply"}) as url:
        _take_all(browser_path, url, wanted)
    return 0


def _take_all(browser_path: Path, url: str, wanted: list[str]) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=list(FLAGS))
        for view in wanted:
            for kind, width in WIDTHS.items():
                page = browser.new_page(viewport={"width": width, "height": 800})
                page.goto(f"{url}#{view}")
                VIEWS[view](page)
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)
                    height = min(page.evaluate("document.documentElement.scrollHeight"), 2400)
                    page.set_viewport_size({"width": width, "height": height})
                    page.screenshot(path=FOLDER / f"{view}-{kind}-{scheme}.png")
                page.close()
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
