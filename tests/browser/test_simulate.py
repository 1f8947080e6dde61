"""A simulated user on the page, answered by a person or by a recommender."""

from collections.abc import AsyncIterator, Iterator

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.conftest import Conduct
from tests.registries import VERDICTS
from tools.example_crs import running_crs
from tools.service_process import running_service


async def test_an_empty_reply_is_refused_in_place(page: Page) -> None:
    await page.get_by_role("link", name="Simulate").click()
    await page.get_by_role("button", name="Begin").click()
    await page.get_by_role("button", name="Reply").click()
    await expect(page.get_by_role("alert").filter(has_text="The reply is empty")).to_be_visible()
    await expect(page.locator("#view-simulate .message")).to_have_count(1)


@pytest.fixture(scope="module")
def service_with_crs() -> Iterator[str]:
    """A service that may talk to the example recommender."""
    with running_crs() as crs, running_service({"CRS_ENDPOINTS": f"example={crs}/reply"}) as url:
        yield url


@pytest.fixture
async def page_with_crs(browser: Browser, service_with_crs: str, conduct: Conduct) -> AsyncIterator[Page]:
    async with await browser.new_context() as context:
        page = await context.new_page()
        conduct.watch(page, service_with_crs)
        await page.goto(f"{service_with_crs}#simulate")
        yield page


async def test_a_session_with_a_recommender_plays_message_by_message(page_with_crs: Page) -> None:
    page = page_with_crs
    await page.get_by_label("Recommender").select_option("example")
    await page.get_by_label("Persona").select_option("curiosity")
    await page.get_by_role("button", name="Begin").click()
    await expect(page.get_by_role("status").first).to_contain_text("The session is over")
    messages = await page.locator("#view-simulate .message").count()
    assert messages >= 2
    outcome = page.get_by_role("region", name="Outcome")
    await expect(outcome).to_contain_text("satisfaction")
    top = "one => one.getBoundingClientRect().top"
    assert await outcome.evaluate(top) < await page.locator("#view-simulate .message").first.evaluate(top)
    await page.reload()
    await expect(outcome).to_contain_text(f"{messages} messages")
    await page.get_by_role("button", name="Judge this session").click()
    await expect(page.get_by_role("heading", name="Judge a conversation")).to_be_focused()
    await expect(page.get_by_role("status").first).to_contain_text(VERDICTS)
