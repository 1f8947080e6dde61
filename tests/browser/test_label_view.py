"""Labelling on the page: conversations that were judged, single keys, and the calibration that follows."""

from playwright.async_api import Page, expect

from tests.browser.conftest import fill_sources, lines, users

NAMES = ("good", "broken", "mediocre", "restaurant", "live", "shop", "travel") * 4


async def compared(page: Page) -> None:
    await page.get_by_role("link", name="Compare").click()
    await fill_sources(page, lines([{**log, "system": "secret-system"} for log in users(NAMES)]))
    await page.get_by_role("button", name="Compare", exact=True).click()
    await expect(page.get_by_role("status").first).to_contain_text("28 conversations judged")


async def test_ten_are_labelled_and_calibrated(page: Page) -> None:
    await page.get_by_role("link", name="Label").click()
    await expect(page.get_by_text("judge some first, two or more")).to_be_visible()
    await compared(page)
    # Two clicks, and the name; then a key for each answer.
    await page.get_by_role("link", name="Label").click()
    await page.get_by_label("How many").fill("24")
    await page.get_by_label("Your name").fill("anna")
    await page.get_by_role("button", name="Begin to label").click()
    await expect(page.get_by_role("heading", name="Conversation 1 of 27")).to_be_visible()
    assert "secret-system" not in await page.locator("main").inner_text()
    for number in range(10):
        await page.keyboard.press(str(number % 5))
    await expect(page.get_by_role("heading", name="Conversation 11 of 27")).to_be_visible()
    # Keys of other views, and of fields, label nothing.
    await page.get_by_role("link", name="Judge").click()
    await expect(page.locator("#view-label")).to_be_hidden()
    await page.keyboard.press("3")
    await page.get_by_role("link", name="Label").click()
    await expect(page.get_by_role("heading", name="Conversation 11 of 27")).to_be_visible()
    await page.reload()
    await expect(page.locator("#view-label input:checked")).not_to_have_count(0)
    await page.get_by_label("How many").fill("24")
    await page.get_by_label("Your name").fill("anna")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Conversation 11 of 27")).to_be_visible()
    for _ in range(17):
        await page.keyboard.press("2")
    await expect(page.get_by_text("Every conversation has its labels.")).to_be_visible()
    async with page.expect_response("**/calibrate") as waiting:
        await page.get_by_role("button", name="Calibrate").locator("visible=true").click()
    answer = await (await waiting.value).json()
    whole = next(one for one in answer["means"] if one["system"] is None or len(answer["means"]) == 1)
    assert (whole["n"], whole["judged"]) == (24, 28)
    said = page.locator("#view-label .verdict")
    await expect(said).to_contain_text(
        f"people would give {'to secret-system ' if whole['system'] else ''}{whole['mean']:.2f} of 4"
    )
    await expect(said).to_contain_text(f"the judge gives {whole['judge_mean']:.2f}")
    plot = page.get_by_role("img", name="labelled conversations; where the judge gives")
    await expect(plot).to_have_count(1)
    assert await plot.locator("circle").count() > 1
    assert await plot.locator(".map").count() == 1
