"""The page where something goes wrong: earlier results stay, and nothing seems to run that does not."""

import json
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from tests.browser.conftest import Conduct, fill_sources, first_example, judge
from tests.factories import in_turns
from tests.registries import CORE, VERDICTS

GOOD = {"messages": [{"role": "user", "content": "Any quiet film?"}, {"role": "assistant", "content": "No."}]}
WRONG = {"messages": [{"role": "user", "contents": "hi"}]}
GERMAN = {
    "messages": in_turns(
        "Kennst du einen guten Western aus den siebziger Jahren? Ich suche etwas Spannendes.",
        "Ja, ich empfehle dir diesen Film! Er ist sehr spannend und wird dir und deiner Familie gefallen.",
    )
}
BUSY = {"type": "/problems/overloaded", "title": "Busy", "status": 503, "detail": "later", "retryable": True}


@pytest.fixture(autouse=True)
def statuses(conduct: Conduct) -> Any:
    """Chromium itself notes a status of 4xx or 5xx in the console."""
    yield
    conduct.complaints[:] = [one for one in conduct.complaints if "Failed to load resource" not in one]


async def refuse(route: Route) -> None:
    await route.fulfill(status=503, content_type="application/problem+json", body=json.dumps(BUSY))


async def test_verdicts_stay_when_the_next_request_fails(page: Page) -> None:
    await judge(page, GOOD)
    await expect(page.get_by_role("status")).to_contain_text(VERDICTS)
    await judge(page, WRONG)
    await expect(page.get_by_role("alert")).to_contain_text("Status 422")
    await expect(page.locator("#view-score .earlier")).to_have_text("The results below are of earlier work.")
    await expect(page.locator(".card")).to_have_count(len(CORE))
    await expect(page.locator(".bar.waiting")).to_have_count(0)
    await expect(page.locator(".transcript")).to_contain_text("Any quiet film?")


@pytest.mark.parametrize("end", [[("error", BUSY)], []])
async def test_bars_of_an_answer_that_breaks_off_do_not_run_on(
    page: Page, service: str, end: list[tuple[str, Any]]
) -> None:
    answer = await (await page.request.post(f"{service}/score", data={"log": GOOD})).json()
    events = [("verdict", answer["verdicts"][0]), *end]
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    await page.route("**/score", lambda route: route.fulfill(content_type="text/event-stream", body=body))
    await judge(page, GOOD)
    await expect(page.get_by_role("alert")).to_contain_text("later" if end else "broke off")
    await expect(page.get_by_role("article")).to_have_count(1)
    await expect(page.locator(".bar.waiting")).to_have_count(0)
    await expect(page.locator(".bar.failed")).to_have_count(len(CORE) - 1)
    await expect(page.locator(".bar.failed").first).to_contain_text("no answer")


async def test_a_comparison_stays_when_the_next_one_fails(page: Page) -> None:
    await compare(page, [{**GOOD, "id": "user-1"}])
    await expect(page.get_by_role("status")).to_contain_text("1 conversation judged")
    await page.route("**/batch", refuse)
    await page.get_by_role("button", name="Compare", exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("Busy")
    await expect(page.locator(".table tbody tr")).to_have_count(1)
    await expect(page.get_by_role("button", name="Download CSV")).to_be_visible()


async def test_a_session_goes_on_when_another_cannot_begin(page: Page) -> None:
    await page.get_by_role("link", name="Simulate").click()
    await page.get_by_role("button", name="Begin").click()
    await expect(page.locator("#view-simulate .message.user")).to_have_count(1)
    await page.route("**/simulate", refuse)
    await page.get_by_role("button", name="Begin").click()
    await expect(page.get_by_role("alert").first).to_contain_text("Busy")
    await expect(page.locator("#view-simulate .message.user")).to_have_count(1)
    await page.unroute("**/simulate")
    await page.get_by_label("Your reply").fill("Try Paper Comets (2015).")
    await page.get_by_role("button", name="Reply").click()
    await expect(page.locator("#view-simulate .message.user")).to_have_count(2)


async def test_one_error_is_told_with_its_fix_and_its_pointer_once(page: Page) -> None:
    log = {"messages": [{"role": "robot", "content": "hi"}]}
    await judge(page, log)
    alert = page.get_by_role("alert")
    await expect(alert).to_contain_text("send 'user', 'assistant' or 'tool'")
    await expect(alert).to_contain_text("request ")
    assert (await alert.inner_text()).count("/log/messages/0/role") == 1
    await expect(alert.locator("pre")).to_contain_text('"role": "robot"')
    await alert.get_by_role("button", name="Show it in the text").click()
    chosen = "(text) => text.value.slice(text.selectionStart, text.selectionEnd)"
    assert await page.get_by_label("Conversation", exact=True).evaluate(chosen) == '"role": "robot"'


async def test_a_log_with_values_of_the_wrong_type_is_refused_by_the_service(page: Page) -> None:
    """The page draws a log before the service has checked it."""
    first, last = GOOD["messages"]

    def items(value: Any) -> dict[str, Any]:
        return {"messages": [first, {**last, "parts": [{"type": "items", "items": value}]}]}

    wrong: dict[str, dict[str, Any]] = {
        "/log/messages/1/recommendations": {"messages": [first, {**last, "recommendations": "Heat"}]},
        "/log/messages/1/parts/0/items": items("Heat"),
        "/log/messages/1/parts/0/items/0": items([None]),
        "/log/messages/1/parts/0/items/0/attributes/genre": items(
            [{"title": "Heat", "attributes": {"genre": 5}}]
        ),
        "/log/history": {**GOOD, "history": "x"},
        "/log/history/0": {**GOOD, "history": [None]},
    }
    await first_example(page)
    alert = page.locator("#view-score .results > [role=alert]")
    for pointer, log in wrong.items():
        await judge(page, log)
        await expect(alert.locator("code").first).to_have_text(pointer)
        await expect(alert.get_by_role("button", name="Show it in the text").first).to_be_visible()
        await expect(page.locator(".example-note")).to_be_visible()


async def test_another_language_is_said_once(page: Page) -> None:
    await judge(page, GERMAN)
    await expect(page.get_by_role("status")).to_contain_text(VERDICTS)
    banner = page.locator("#view-score .warning")
    await expect(banner).to_have_count(1)
    await expect(banner).to_contain_text("reads English")
    await expect(page.locator(".bar.not_assessable")).to_have_count(len(CORE))
    await expect(page.get_by_role("article")).to_have_count(0)
    await expect(page.locator(".unassessed > summary")).to_have_text("12 not assessable")
    await expect(page.locator(".mean")).to_have_text(
        "No score no factor has a score (core), 12 not assessable"
    )
    await compare(page, [{**GERMAN, "id": "a"}, {**GERMAN, "id": "b"}, {**GOOD, "id": "c"}])
    await expect(page.locator("#view-compare .warning")).to_contain_text("2 of 3 conversations")


async def test_what_the_log_lacks_is_no_reason_for_what_lacks_nothing(page: Page) -> None:
    titled = {**GERMAN["messages"][1], "recommendations": ["Heat (1995)", "Ronin (1998)"]}
    await judge(page, {"messages": [GERMAN["messages"][0], titled]})
    await expect(page.get_by_role("status")).to_contain_text(VERDICTS)
    await expect(page.locator(".unassessed > summary")).to_have_text(
        "12 not assessable; for 2 of them the log lacks items.popularity, items"
    )
    await expect(page.locator(".warning", has_text="reads English").locator("code").last).to_have_text(
        "judge"
    )


async def test_text_runs_in_the_direction_of_its_letters(page: Page) -> None:
    said = "هل تعرف فيلما هادئا عن البحر؟"
    await judge(
        page,
        {
            "id": said,
            "messages": [
                {"role": "user", "content": said, "thoughts": said},
                {"role": "assistant", "content": said, "recommendations": [said]},
            ],
        },
    )
    await expect(page.get_by_role("status")).to_contain_text(VERDICTS)
    for place in (".content", ".items li", ".thoughts"):
        found = page.locator(place).first
        await expect(found).to_contain_text(said)
        assert await found.evaluate("(one) => getComputedStyle(one).direction") == "rtl", place
    assert await page.locator(".who").first.evaluate("(one) => getComputedStyle(one).direction") == "ltr"
    await page.evaluate("location.hash = '#simulate'")
    await page.get_by_role("button", name="Begin").click()
    reply = page.get_by_label("Your reply")
    await reply.fill(said)
    assert await reply.evaluate("(one) => getComputedStyle(one).direction") == "rtl"


async def compare(page: Page, *sides: list[dict[str, Any]]) -> None:
    await page.get_by_role("link", name="Compare").click()
    await fill_sources(page, *("\n".join(json.dumps(log) for log in logs) for logs in sides))
    await page.get_by_role("button", name="Compare", exact=True).click()


async def test_sides_that_cannot_be_paired_are_not_judged(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await compare(page, *([{**GOOD, "id": name} for name in side] for side in ("aba", "ab")))
    alert = page.get_by_role("alert")
    await expect(alert).to_contain_text("cannot be compared")
    assert "a holds 'a' twice" in (await alert.inner_text()).lower()
    assert not [url for url in asked if url.endswith("/batch")]


async def test_sides_of_one_name_are_not_taken_for_one_system(page: Page) -> None:
    await page.get_by_role("link", name="Compare").click()
    await page.get_by_role("button", name="Add another system").click()
    for letter in "AB":
        await page.get_by_label(f"Name of system {letter}").evaluate("(one) => { one.value = 'harbour'; }")
    await compare(page, [{**GOOD, "id": "a"}], [{**GOOD, "id": "a"}])
    await expect(page.get_by_role("alert")).to_contain_text("both called harbour")


async def test_sides_without_ids_are_paired_by_place_and_it_is_said(page: Page) -> None:
    await compare(page, [GOOD, GOOD], [GOOD, GOOD, GOOD])
    await expect(page.get_by_role("status")).to_contain_text("5 conversations judged, 2 pairs by place")
    await expect(page.get_by_role("region", name="B minus A, conversation by conversation")).to_be_visible()


async def test_two_systems_in_one_text_that_share_no_conversation_are_told_of(page: Page) -> None:
    await compare(page, [{**GOOD, "id": name, "system": name} for name in "ab"])
    await expect(page.locator(".found .warning")).to_contain_text("share no scored conversation")


async def test_what_a_request_says_beside_its_log_is_not_left_out_in_silence(page: Page) -> None:
    await judge(page, {"log": GOOD, "catalog": "films", "judge": "builtin"})
    alert = page.get_by_role("alert")
    await expect(alert).to_contain_text("judge, catalog")
    await judge(page, {"log": GOOD, "note": "of our own"})
    await expect(page.get_by_role("status")).to_contain_text(VERDICTS)
