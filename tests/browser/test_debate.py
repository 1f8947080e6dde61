"""A debate followed on the page."""

from playwright.async_api import Page, expect

from tests.browser.conftest import pick


async def test_a_debate_streams_as_a_timeline(page: Page) -> None:
    await page.get_by_role("link", name="Debate").click()
    await pick(page, "mediocre")
    await page.get_by_role("button", name="Debate", exact=True).click()
    await expect(page.locator(".round").first).to_contain_text("Round 1")
    await expect(page.get_by_role("status")).to_contain_text("Debated in")
    conclusion = page.get_by_role("region", name="Conclusion")
    await expect(conclusion).to_contain_text("of 100 mean of 4 roles")
    await expect(conclusion).to_contain_text("Strictest: HCI expert")
    # The result stands above how it came about, of which the last round is open.
    tops = await page.locator("#view-debate .conclusion, .moves, .rounds").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().top)"
    )
    assert tops == sorted(tops)
    await expect(page.locator(".round").last.get_by_role("article")).to_have_count(4)
    await page.locator(".round summary").first.click()
    await expect(page.locator(".round").first.get_by_role("article")).to_have_count(4)
    await expect(page.locator("#view-debate").get_by_text("No language model spoke here")).to_have_count(1)
    rounds = await page.locator(".round").count()
    legend = await page.locator(".legend li").first.inner_text()
    assert legend.count("→") == rounds - 1
    assert await page.locator(".moves circle").count() == 4 * rounds
    await page.reload()
    await expect(page.get_by_role("status")).to_contain_text(f"Debated in {rounds} rounds")
    await expect(conclusion).to_contain_text("of 100 mean of 4 roles")


async def test_the_log_is_shared_with_the_judging_view(page: Page) -> None:
    await pick(page, "good")
    await page.get_by_role("link", name="Debate").click()
    await expect(page.get_by_role("heading", name="Debate a conversation")).to_be_focused()
    assert '"good"' in await page.get_by_label("Conversation", exact=True).input_value()
