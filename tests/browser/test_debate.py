"""A debate followed on the page."""

from playwright.async_api import Page, expect


async def test_a_debate_streams_as_a_timeline(page: Page) -> None:
    await page.get_by_role("link", name="Debate").click()
    await page.get_by_label("Or an example").select_option("mediocre")
    await page.get_by_role("button", name="Debate", exact=True).click()
    await expect(page.locator(".round").first).to_contain_text("Round 1")
    await expect(page.get_by_role("status")).to_contain_text("Debated in")
    await expect(page.locator(".round").first.get_by_role("article")).to_have_count(4)
    await expect(page.locator(".total")).to_contain_text("of 100")
    await expect(page.locator(".total")).to_contain_text("mean of 4 roles")
    rounds = await page.locator(".round").count()
    legend = await page.locator(".legend li").first.inner_text()
    assert legend.count("→") == rounds - 1
    assert await page.locator(".moves circle").count() == 4 * rounds


async def test_the_log_is_shared_with_the_judging_view(page: Page) -> None:
    await page.get_by_label("Or an example").select_option("good")
    await page.get_by_role("link", name="Debate").click()
    await expect(page.get_by_role("heading", name="Debate a conversation")).to_be_focused()
    assert '"good"' in await page.get_by_label("Conversation", exact=True).input_value()
