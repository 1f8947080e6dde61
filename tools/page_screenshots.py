"""Pictures of the views that docs/page.md and README.md show, into docs/screenshots.

Run it after a change to the page, look at them, commit them."""

import base64
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Page, expect, sync_playwright

from tools.example_crs import running_crs
from tools.programs import BROWSER_ADVICE, find_chromium
from tools.service_process import ROOT, running_service

FOLDER = ROOT / "docs" / "screenshots"
WIDTH, LONGEST = 1280, 2000
README_WIDTH = 560
LOGS = ROOT / "examples" / "logs"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
)
expect.set_options(timeout=120_000)  # the machine may be busy


def score(page: Page) -> None:
    """An example judged, a fault opened."""
    page.get_by_role("button", name="Broken", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("12 verdicts on")
    page.locator(".message .fault summary").first.click()
    page.evaluate("scrollTo(0, 0)")


def shop(page: Page) -> None:
    """A conversation with cards and calls of tools."""
    page.get_by_role("button", name="Shop", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("12 verdicts on shop")
    page.evaluate("scrollTo(0, 0)")


def debate(page: Page) -> None:
    """An example debated."""
    page.get_by_role("button", name="Mediocre", exact=True).click()
    page.get_by_role("button", name="Debate", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Debated in")


def simulate(page: Page) -> None:
    """A session with the example recommender."""
    page.get_by_label("Recommender").select_option("example")
    page.get_by_label("Persona").select_option("curiosity")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("status").first).to_contain_text("The session is over")


def compare(page: Page) -> None:
    """Two systems with the same users: the example logs, dealt out."""
    page.get_by_role("button", name="Add another system").click()
    for letter, system, names in (
        ("A", "harbour-1", ("good", "good", "mediocre", "restaurant", "live", "good")),
        ("B", "harbour-2", ("mediocre", "broken", "mediocre", "restaurant", "broken", "good")),
    ):
        logs = [
            {**json.loads((LOGS / f"{name}.json").read_text())["log"], "id": f"user-{index}"}
            for index, name in enumerate(names)
        ]
        page.locator(".source textarea").nth("AB".index(letter)).fill("\n".join(map(json.dumps, logs)))
        page.get_by_label(f"Name of system {letter}").fill(system)
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("conversations judged")


def crs_eval(*arguments: str | Path) -> None:
    """Run the command."""
    subprocess.run([sys.executable, "-m", "service.cli.program", *arguments], check=True)


def report(page: Page) -> None:
    """The report that the comparison leaves to take away, with its worst conversation open."""
    compare(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download report").click()
    path = saved.value.path()
    page.goto(path.rename(path.with_suffix(".html")).as_uri())
    page.locator(".conversations tbody button").first.click()
    page.evaluate("scrollTo(0, 0)")


def label(page: Page) -> None:
    """The sheet for labels, at its second conversation."""
    names = ("good", "mediocre", "broken", "restaurant", "live")
    logs = [json.loads((LOGS / f"{name}.json").read_text())["log"] | {"id": name} for name in names]
    factors = "--factors=coherence,explainability"
    with tempfile.TemporaryDirectory() as folder:
        given, results, sheet = (
            Path(folder) / name for name in ("logs.jsonl", "results.jsonl", "labels.html")
        )
        given.write_text("".join(json.dumps(log) + "\n" for log in logs))
        crs_eval("score", given, "--out", results, factors, "--url", page.url.partition("#")[0])
        crs_eval("label", "sample", results, "--logs", given, "-o", sheet, factors)
        page.goto(sheet.as_uri())
        page.get_by_label("Your name").fill("anna")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Conversation 1 of")).to_be_focused()
        page.keyboard.press("3")
        page.evaluate("scrollTo(0, 0)")


VIEWS: dict[str, Callable[[Page], None]] = {
    view.__name__: view for view in (score, shop, debate, simulate, compare, report, label)
}
DARK = {"debate"}
ROUTES = {"report": "compare", "label": "score", "shop": "score"}
"""Views that begin on the page of another."""


def main() -> int:
    """Take all pictures, or those of the views named."""
    browser_path = find_chromium()
    if browser_path is None:
        print(BROWSER_ADVICE, file=sys.stderr)
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        running_crs() as crs,
        running_service({"CRS_ENDPOINTS": f"example={crs}/reply"}) as url,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=browser_path, args=list(FLAGS))
        for view in sys.argv[1:] or VIEWS:
            scheme: Literal["light", "dark"] = "dark" if view in DARK else "light"
            page = browser.new_page(viewport={"width": WIDTH, "height": 800}, color_scheme=scheme)
            page.goto(f"{url}#{ROUTES.get(view, view)}")
            VIEWS[view](page)
            page.evaluate("scrollTo(0, 0)")
            height = min(page.evaluate("document.documentElement.scrollHeight"), LONGEST)
            page.set_viewport_size({"width": WIDTH, "height": height})
            _take(page, FOLDER / f"{view}-wide-{scheme}.webp")
            if view == "score":  # README.md shows its conclusion alone
                page.set_viewport_size({"width": README_WIDTH, "height": LONGEST})
                part = page.locator(".conclusion").bounding_box()
                _take(page, FOLDER / "readme.webp", clip={**(part or {}), "scale": 2})
            page.close()
        browser.close()
    return 0


def _take(page: Page, path: Path, **options: Any) -> None:
    """Save what is seen as WebP: a quarter of a PNG, which playwright's own call would write."""
    session = page.context.new_cdp_session(page)
    taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": 60, **options})
    path.write_bytes(base64.b64decode(taken["data"]))


if __name__ == "__main__":
    sys.exit(main())
