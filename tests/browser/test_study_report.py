"""The report of a study on a narrow screen: its tables and figures scroll by themselves, and nothing is cut off."""

from pathlib import Path

from playwright.async_api import Browser, expect

from service.cli.studies.report import Findings, page
from service.cli.tabulating.formats import StudyTable, lines


async def test_wide_tables_and_figures_scroll_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    columns = [f"a rather long system {number}" for number in range(12)]
    findings = Findings(
        sheets=[StudyTable("wide", "Wide", columns, [["1.00 (0.00) [1.00, 1.00]"] * 12])],
        figures={"drawn": lines("Coverage by turn", {"mine": [0.1, 0.4, 0.9]}, "turn")},
    )
    (tmp_path / "report.html").write_text(page("pepper", ["pepper"], findings, {}), encoding="utf-8")
    async with await browser.new_context(viewport={"width": 390, "height": 844}, offline=True) as context:
        opened = await context.new_page()
        await opened.goto((tmp_path / "report.html").as_uri())
        drawing = opened.locator("figure svg")
        await expect(drawing).to_be_visible()
        assert await opened.evaluate("document.documentElement.scrollWidth") == 390
        # Its width is in points: 72 to the inch, where pixels are 96.
        assert await drawing.evaluate(
            "drawn => Math.abs(drawn.clientWidth - parseFloat(drawn.getAttribute('width')) * 4 / 3) < 1"
        )
        for part in (opened.locator("figure"), opened.locator("div.scroll")):
            assert await part.evaluate("shown => shown.scrollWidth > shown.clientWidth")
