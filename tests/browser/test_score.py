"""One conversation judged on the page, as a person would do it."""

import json

from playwright.async_api import Page, expect

from tests.browser.conftest import Conduct

CHAT = [
    {"role": "system", "content": "You recommend films."},
    {"role": "user", "content": "Any quiet film about the sea?"},
    {"role": "assistant", "content": [{"type": "text", "text": "Paper Lanterns: slow, and set by the sea."}]},
]


async def judge_example(page: Page, name: str) -> None:
    await page.get_by_label("Or an example").select_option(name)
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text(f"12 verdicts on {name}")


async def test_an_example_is_judged_from_end_to_end(page: Page) -> None:
    await judge_example(page, "good")
    cards = page.get_by_role("article")
    await expect(cards).to_have_count(12)
    await expect(cards.first).to_contain_text("confidence")
    await expect(cards.first).to_contain_text("not from the cache")
    await expect(page.locator(".total")).to_contain_text("comparison key")
    await expect(page.locator(".transcript .message")).to_have_count(9)


async def test_what_is_not_assessable_is_said_and_never_drawn_as_zero(page: Page) -> None:
    await judge_example(page, "good")
    row = page.locator(".bar", has_text="Novelty")
    await expect(row).to_contain_text("not assessable")
    await expect(row.locator(".fill")).to_have_count(0)
    await expect(page.locator(".bar", has_text="Coherence").locator(".fill")).to_have_count(1)


async def test_evidence_points_at_messages_and_messages_at_verdicts(page: Page) -> None:
    await judge_example(page, "broken")
    cited = page.locator(".message", has=page.locator(".chip"))
    assert await cited.count() > 0
    chip = cited.first.locator(".chip").first
    name = await chip.inner_text()
    await chip.click()
    await expect(page.locator(".card.selected")).to_have_count(1)
    await expect(page.locator(".card.selected")).to_contain_text(name)
    await expect(cited.first).to_have_class("message assistant cited")
    card = page.get_by_role("article", name=name, exact=True)
    await card.locator(".head").click()
    await expect(page.locator(".message.cited")).to_have_count(0)
    await card.locator(".evidence button").first.click()
    await expect(page.locator(".message.cited:focus")).to_have_count(1)


async def test_a_quote_is_marked_where_it_stands(page: Page) -> None:
    quoted = await page.evaluate(
        """async () => {
          const { Transcript } = await import("./web/transcript.js");
          const transcript = new Transcript({messages: [{role: "assistant", content: "Try it, it is <b>calm</b>."}]});
          transcript.highlight({factor: "coherence", flags: [], evidence: [{message: 0, quote: "is <b>calm</b>", message_id: null, effect: null}]});
          return transcript.element.querySelector("mark").textContent;
        }"""
    )
    assert quoted == "is <b>calm</b>"


async def test_chat_messages_are_read_and_instructions_left_out(page: Page) -> None:
    await page.get_by_label("Conversation", exact=True).fill(json.dumps(CHAT))
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text("12 verdicts")
    await expect(page.locator(".transcript .message")).to_have_count(2)
    await expect(page.locator(".transcript")).to_contain_text("slow, and set by the sea")


async def test_messages_as_lines_are_one_conversation_and_logs_as_lines_are_many(page: Page) -> None:
    counts = await page.evaluate(
        """async (chat) => {
          const { parseLogs } = await import("./web/logs.js");
          const lines = (values) => values.map((one) => JSON.stringify(one)).join("\\n");
          const log = {messages: chat};
          return [lines(chat), lines([log, {log}]), JSON.stringify([log, chat]), JSON.stringify({logs: [log]})]
            .map((text) => parseLogs(text)).map((logs) => [logs.length, logs[0].messages.length]);
        }""",
        CHAT,
    )
    assert counts == [[1, 2], [2, 2], [2, 2], [1, 2]]


async def test_one_factor_can_be_chosen(page: Page) -> None:
    await page.get_by_label("Or an example").select_option("live")
    await (
        page.get_by_role("region", name="Judge a conversation")
        .get_by_text("Factors: the twelve of core")
        .click()
    )
    core = page.get_by_role("region", name="Judge a conversation").get_by_role("group", name="core")
    await core.get_by_label("core").uncheck()
    await core.get_by_label("Coherence").check()
    await expect(page.get_by_text("Factors: Coherence").first).to_be_visible()
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text("1 verdicts on live")


async def test_an_error_shows_its_title_detail_and_request(page: Page, conduct: Conduct) -> None:
    await page.get_by_label("Conversation", exact=True).fill(
        '{"messages": [{"role": "user", "contents": "hi"}]}'
    )
    await page.get_by_role("button", name="Judge", exact=True).click()
    alert = page.get_by_role("alert")
    await expect(alert).to_contain_text("/log/messages/0/contents")
    await expect(alert).to_contain_text("content")
    await expect(alert).to_contain_text("Status 422")
    await expect(alert).to_contain_text("request ")
    # Chromium itself notes a status of 422 in the console.
    assert [one for one in conduct.complaints if "422" not in one] == []
    conduct.complaints.clear()


async def test_text_that_is_no_log_is_told_without_asking_the_service(page: Page) -> None:
    await page.get_by_label("Conversation", exact=True).fill("hello")
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("This is no JSON")


async def test_a_judge_that_is_not_allowed_is_an_error_with_a_fix(page: Page, conduct: Conduct) -> None:
    await page.get_by_label("Or an example").select_option("good")
    await page.get_by_role("textbox", name="Judge").fill("openai:nobody")
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("name one of: builtin")
    conduct.complaints.clear()
