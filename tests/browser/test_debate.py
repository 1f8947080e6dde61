"""A debate followed on the page."""

import re

from playwright.async_api import Page, expect

from tests.browser.conftest import pick
from tests.registries import ROLES


async def test_a_debate_streams_as_a_timeline(page: Page) -> None:
    await page.get_by_role("link", name="Debate").click()
    await pick(page, "mediocre")
    await page.get_by_role("button", name="Debate", exact=True).click()
    await expect(page.locator(".round").first).to_contain_text("Round 1")
    await expect(page.get_by_role("status")).to_contain_text("Debated in")
    conclusion = page.get_by_role("region", name="Conclusion")
    await expect(conclusion).to_contain_text("of 100 mean of 4 roles")
    await expect(conclusion).to_contain_text("judged by builtin")
    said = {
        await one.get_attribute("aria-label"): int(await one.locator(".score").inner_text())
        for one in await page.locator(".round").last.get_by_role("article").all()
    }
    await expect(conclusion).to_contain_text(
        re.compile(
            rf"Strictest: ({'|'.join(map(str, said))}) with {min(said.values())}; mildest: .* with {max(said.values())}\."
        )
    )
    # The result stands above how it came about, of which the last round is open.
    tops = await page.locator("#view-debate .conclusion, .moves, .rounds").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().top)"
    )
    assert tops == sorted(tops)
    assert len(said) == len(ROLES)
    # The embedded roles have nothing to add to what they said once.
    await expect(page.locator(".round")).to_have_count(1)
    await expect(page.locator(".legend li")).to_have_count(len(ROLES))
    assert await page.locator(".moves circle").count() == len(ROLES)
    await page.locator(".round summary").click()
    await expect(page.locator(".round").get_by_role("article")).to_have_count(0)
    await page.reload()
    await expect(page.get_by_role("status")).to_contain_text("Debated in 1 round.")
    await expect(conclusion).to_contain_text("of 100 mean of 4 roles")


async def test_the_log_is_shared_with_the_judging_view(page: Page) -> None:
    await pick(page, "good")
    await page.get_by_role("link", name="Debate").click()
    await expect(page.get_by_role("heading", name="Debate a conversation")).to_be_focused()
    assert '"good"' in await page.get_by_label("Conversation", exact=True).input_value()
