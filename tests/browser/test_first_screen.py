"""The first screen, and how a judgement is read: the conclusion, then the conversation beside its verdicts."""

import json

import pytest
from playwright.async_api import Page, Route, expect

from tests.browser.conftest import first_example, judged
from tests.factories import in_turns
from tests.registries import VERDICTS

LONG = "A film about the sea, and about waiting. " * 200


async def share_seen(page: Page, selector: str) -> float:
    """The top of an element, in heights of the window."""
    return float(
        await page.locator(selector).evaluate("one => one.getBoundingClientRect().top / innerHeight")
    )


async def test_on_a_phone_the_result_comes_into_sight(page: Page) -> None:
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.reload()
    await first_example(page)
    assert await page.evaluate("scrollY") == 0
    assert await share_seen(page, ".conclusion") < 1
    await judged(page, {"messages": in_turns("Hi", "Hello.")})
    assert 0 <= await share_seen(page, ".conclusion") < 0.3


FAULTY = {
    "messages": [
        {"role": "user", "content": "A lamp for my desk?"},
        {"role": "assistant", "content": "{{product_name}} is warm. Try {{product_name}}."},
        {"role": "user", "content": "Which wattage does it have?"},
        {"role": "user", "content": "Are you there?"},
    ]
}
"""A template that leaks and a question without an answer: faults that code proves."""


async def test_the_faults_stand_in_the_conclusion_and_on_the_replies_as_the_service_reports_them(
    page: Page, service: str
) -> None:
    answer = await (await page.request.post(f"{service}/score", data={"log": FAULTY})).json()
    named = {
        one["slug"]: one for one in (await (await page.request.get(f"{service}/faults")).json())["faults"]
    }
    await judged(page, FAULTY)
    said = page.get_by_role("region", name="Conclusion").locator(".costs")
    places = {(one["fault"], one["message"]) for verdict in answer["verdicts"] for one in verdict["faults"]}
    assert {"template-leak", "no-reply"} <= {one["fault"] for one in answer["faults"]}
    await expect(page.locator(".message .fault")).to_have_count(len(places))
    for fault, message in places:
        note = page.locator(".message", has=page.locator(".place", has_text=str(message)))
        await expect(note.locator(f"[data-fault={fault}] summary")).to_have_text(named[fault]["name"])
    # The two that cost most are said in a sentence, the others are named after it.
    stated = await said.locator(".sentence strong").all_inner_texts()
    wordings = {named[fault]["wording"]: named[fault]["name"] for fault, _ in places}
    assert len(stated) == len(set(stated) & set(wordings)) == 2
    for wording, name in wordings.items():
        await expect(said).to_contain_text(wording if wording in stated else f"{name} (")
    [core] = answer["summaries"]
    shown = await page.locator(".conclusion .mean strong").inner_text()
    assert float(shown) == pytest.approx(core["overall"], abs=0.006)


@pytest.mark.parametrize(
    "text", [json.dumps(FAULTY), "User: A lamp?\nBot: Vega.", "User: A lamp?\nBot: Vega.\n" * 4000]
)
async def test_the_form_stays_where_it_is_and_the_score_is_seen(page: Page, text: str) -> None:
    await page.set_viewport_size({"width": 1440, "height": 900})
    await first_example(page)
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = page.get_by_role("button", name="Judge", exact=True)
    before = await button.bounding_box()
    await page.evaluate("text => navigator.clipboard.writeText(text)", text)
    await page.keyboard.press("Control+V")
    assert await button.bounding_box() == before
    if len(text) < 10_000:
        await button.click()
        await expect(page.get_by_role("status").first).to_contain_text(f"{VERDICTS} on")
        assert await button.bounding_box() == before
        assert await page.evaluate("scrollY") == 0
        await expect(page.locator(".conclusion .mean strong").first).to_be_in_viewport(ratio=1)


async def test_the_domain_and_the_wanted_items_go_with_the_conversation(page: Page) -> None:
    await first_example(page)
    await page.get_by_label("Conversation", exact=True).fill("User: A lamp?\nBot: Vega, for its warm light.")
    view = page.get_by_role("region", name="Judge a conversation")
    await view.get_by_label("Domain").fill("lighting")
    await view.get_by_label("Items that the user wanted").fill("Vega; Fjord Lamp")
    asked: list[str | None] = []

    async def note(route: Route) -> None:
        asked.append(route.request.post_data)
        await route.continue_()

    await page.route("**/score", note)
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(page.get_by_role("status").first).to_contain_text(f"{VERDICTS} on")
    sent = json.loads(asked[0] or "")["log"]
    assert (sent["domain"], sent["ground_truth"]) == ("lighting", ["Vega", "Fjord Lamp"])


async def test_a_transcript_is_read_and_one_long_message_does_not_fill_the_screen(page: Page) -> None:
    await judged(page, f"[10:02] User: هل تعرف فيلما؟\nBot: {LONG}\nwhich is long\nUser: Thanks, bye.")
    rows = page.locator(".transcript .message")
    await expect(rows).to_have_count(3)
    assert await rows.first.locator(".content").evaluate("one => one.matches(':dir(rtl)')")
    content = rows.nth(1).locator(".content")
    await expect(content).to_contain_text("which is long")
    cut = await content.evaluate("one => one.getBoundingClientRect().height")
    assert cut < 300
    await rows.nth(1).get_by_role("button", name="All of it, or less").click()
    assert await content.evaluate("one => one.getBoundingClientRect().height") > 2 * cut


async def test_keys_judge_walk_and_are_told(page: Page) -> None:
    await first_example(page)
    await page.get_by_label("Conversation", exact=True).fill(
        "User: A film?\nBot: Paper Lanterns (2014), for its sea."
    )
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_role("status")).to_contain_text(VERDICTS)
    # On a phone verdicts stand under the messages that they cite: arrows walk both in the order of reading.
    for walked in (".transcript :is(.message, .card)", ".pane:not(.beside) .card"):
        stops = page.locator(walked)
        await stops.first.focus()
        await page.keyboard.press("ArrowDown")
        await expect(stops.nth(1)).to_be_focused()
        await page.keyboard.press("ArrowUp")
        await expect(stops.first).to_be_focused()
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Ctrl+Enter")
    await page.keyboard.press("Escape")
    await page.get_by_label("Conversation", exact=True).fill("")
    await page.keyboard.type("?")
    await expect(page.get_by_role("dialog")).to_have_count(0)
