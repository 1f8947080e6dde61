"""The first screen, and how a judgement is read: the conclusion, then the conversation beside its verdicts."""

import json
import re
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.async_api import Page, expect

from tests.browser.conftest import first_example, pick
from tests.registries import CORE, VERDICTS

LOOKS: list[tuple[int, Literal["light", "dark"]]] = [(390, "dark"), (1440, "light")]
EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "logs"
LONG = "A film about the sea, and about waiting. " * 200


async def share_seen(page: Page, selector: str) -> float:
    """The top of an element, in heights of the window."""
    return float(
        await page.locator(selector).evaluate("one => one.getBoundingClientRect().top / innerHeight")
    )


async def judge(page: Page, given: Any) -> None:
    text = given if isinstance(given, str) else json.dumps(given)
    await page.get_by_label("Conversation", exact=True).fill(text)
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(page.get_by_role("status").first).to_contain_text(f"{VERDICTS} on")


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
async def test_an_example_is_drawn_and_its_conclusion_is_read_at_a_glance(
    page: Page, width: int, scheme: Literal["light", "dark"]
) -> None:
    await page.set_viewport_size({"width": width, "height": 900})
    await page.emulate_media(color_scheme=scheme)
    await first_example(page)
    await expect(page.locator(".lead").first).to_contain_text(
        "says how good the recommender was, why, and how sure"
    )
    if width > 900:
        assert await share_seen(page, ".conclusion") < 0.6
    conclusion = page.get_by_role("region", name="Conclusion")
    await expect(conclusion).to_contain_text(f"of 4 mean of {len(CORE)} factors (core)")
    await expect(conclusion).to_contain_text("Confidence: ")
    assert await conclusion.locator(".costs li").count() == 3
    scores = [float(text) for text in await conclusion.locator(".badge-score").all_inner_texts()]
    assert scores == sorted(scores)
    # The levels differ in colour, and each says its number.
    colours = {
        await one.evaluate("one => getComputedStyle(one).backgroundColor")
        for one in await page.locator(".card .fill").all()
    }
    assert len(colours) >= 4
    assert (
        await page.locator(".card .fill").count()
        == await page.locator(".card .value", has_text=" of 4").count()
    )
    # The worst stand first: whole dimensions, and within each its factors.
    group = page.locator(".dimension").locator("visible=true").first if width > 900 else None
    if group:
        await expect(group.locator("h3").first).to_contain_text("Dialogue actions")
        values = [float(text.split()[0]) for text in await group.locator(".value").all_inner_texts()]
        assert values == sorted(values)
    beside = await page.locator(".message .card").count()
    assert (beside == 0) if width > 900 else (beside >= 8), (
        "narrow, a verdict stands under the message it is about"
    )
    points = page.locator(".message:not(.user) > .points")
    assert await points.count() == 5
    await expect(points.first).to_have_accessible_name(
        re.compile(r"Message 1: [\d.]+ points lost: Gramm.+, .+")
    )
    await conclusion.get_by_role("button", name="message 1").click()
    await expect(page.locator(".message:focus .place")).to_have_text("1")
    assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_the_strip_adds_up_what_verdicts_take_off_a_message(page: Page, service: str) -> None:
    log = json.loads((EXAMPLES / "broken.json").read_text())["log"]
    answer = await (await page.request.post(f"{service}/score", data={"log": log})).json()
    lost = [0.0] * len(log["messages"])
    for verdict in answer["verdicts"]:
        for one in verdict["evidence"]:
            if one["message"] is not None:
                lost[one["message"]] -= min(one["effect"] or 0, 0)
    await first_example(page)
    for index, points in enumerate(lost):
        if points > 0:
            told = page.get_by_role("button", name=f"Message {index}: ")
            said = re.search(r"([\d.]+) points lost", await told.get_attribute("aria-label") or "")
            assert said
            assert float(said[1]) == pytest.approx(points, abs=0.006)


async def test_a_factor_at_its_top_takes_nothing_off_a_message(page: Page, service: str) -> None:
    """A judge may put a factor at the top although some of its turns lie lower: what they say is how a loss is spread."""
    log = json.loads((EXAMPLES / "good.json").read_text())["log"]
    answer = await (await page.request.post(f"{service}/score", data={"log": log})).json()
    [proactive] = [one for one in answer["verdicts"] if one["factor"] == "proactiveness"]
    assert proactive["score"] == 4
    assert min(turn["score"] for turn in proactive["turns"]) < 3
    await pick(page, "good")
    await expect(page.get_by_role("status")).to_contain_text(f"{VERDICTS} on good")
    last = page.get_by_role("button", name=f"Message {len(log['messages']) - 1}: ")
    await expect(last).to_have_accessible_name(
        re.compile("(0[.]0\\d) points lost: Coherence \N{MINUS SIGN}\\1$")
    )
    texts = await page.locator(".points").all_inner_texts()
    assert not [text for text in texts if text == "\N{MINUS SIGN}0"]


async def test_on_a_phone_the_result_comes_into_sight(page: Page) -> None:
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.reload()
    await first_example(page)
    assert await page.evaluate("scrollY") == 0
    assert await share_seen(page, ".conclusion") < 1
    await judge(
        page, {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
    )
    assert 0 <= await share_seen(page, ".conclusion") < 0.3


async def test_what_holds_for_the_whole_log_is_said_once_and_what_is_missing_is_folded(page: Page) -> None:
    await pick(page, "shop")
    await expect(page.get_by_role("status")).to_contain_text(f"{VERDICTS} on shop")
    flags = page.get_by_text("left out because their data are missing: 4 of 4 items")
    await expect(flags).to_have_count(1)
    await expect(flags).to_contain_text("(Novelty, Diversity)")
    fold = page.locator(".unassessed > summary")
    await expect(fold).to_contain_text(
        "3 not assessable: the log lacks ground_truth, items.popularity, items"
    )
    await expect(page.get_by_role("article", name="Novelty")).to_be_hidden()
    await fold.click()
    await expect(page.get_by_role("article", name="Novelty")).to_be_visible()
    await expect(page.locator(".shown.carousel .shown-item", has_text="Fellwind Shell")).to_contain_text(
        "Price 99 EUR"
    )
    await expect(page.locator(".tool summary").first).to_have_text("Calls search_products")


async def test_a_transcript_is_read_and_one_long_message_does_not_fill_the_screen(page: Page) -> None:
    await judge(page, f"[10:02] User: هل تعرف فيلما؟\nBot: {LONG}\nwhich is long\nUser: Thanks, bye.")
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


async def test_evidence_is_one_click_away_both_ways(page: Page) -> None:
    await first_example(page)
    await page.locator(".message .points").first.click()
    await expect(page.locator(".card.selected")).to_have_attribute("data-factor", "grammatical-correctness")
    await expect(page.locator("mark").first).to_have_text("The The The")
    await page.get_by_role("article", name="Explainability").locator(".evidence button").first.click()
    await expect(page.locator(".message:focus .place")).to_have_text("5")
    await page.get_by_role("region", name="Conclusion").get_by_role("button", name="Coherence").click()
    await expect(page.locator(".card.selected")).to_be_focused()
    await expect(page.locator(".message.cited")).to_have_count(5)


async def test_a_verdict_is_drawn_soon_after_the_answer(page: Page) -> None:
    """From the answer's last byte to the frame that shows it, on a machine that may be busy: the best of five counts."""
    await first_example(page)
    waits = await page.evaluate(
        """async () => {
          const waits = [];
          const send = window.fetch;
          let came = 0;
          window.fetch = async (...given) => { const answer = await send(...given); came = performance.now(); return answer; };
          const button = [...document.querySelectorAll(".examples button")].find((one) => one.textContent === "Good");
          for (let turn = 0; turn < 5; turn++) {
            came = 0;
            document.querySelector(".judged").replaceChildren();
            button.click();
            while (!came || !document.querySelector(".card")) await new Promise((done) => requestAnimationFrame(done));
            waits.push(performance.now() - came);
            await new Promise((done) => setTimeout(done, 200));
          }
          return waits;
        }"""
    )
    assert min(waits) < 300, waits
