"""Long texts in the page's fields: pasted, dragged, typed into, pointed at. None of it holds the browser up."""

import json
from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import CDPSession, Locator, Page, expect

from tests.factories import in_turns

LONG = 200_000
TURN = in_turns("Any quiet film about the sea?", "Try Paper Lanterns (2014), for its sea.")
ONE_LINE = json.dumps({"messages": TURN * (LONG // len(json.dumps(TURN)) + 1)})
WATCH = """
window.tasks = [];
new PerformanceObserver((list) => tasks.push(...list.getEntries().map((one) => one.duration))).observe({type: "longtask"});
"""
LONGEST = 100
"""Milliseconds that no task may take. The machine may be busy with others, so the best of a few turns counts."""
TURNS = 6


async def longest(page: Page, act: Callable[[], Awaitable[None]]) -> list[float]:
    """The longest task of each turn of an act, up to the first that is short."""
    found: list[float] = []
    while len(found) < TURNS and min(found, default=LONGEST) >= LONGEST:
        await page.evaluate("tasks.length = 0")
        await act()
        # Two frames, and the pause after which a field is read.
        await page.evaluate("new Promise((done) => setTimeout(done, 600))")
        found.append(max(await page.evaluate("tasks"), default=0))
    return found


async def drop(client: CDPSession, place: Locator, text: str) -> None:
    """Drag a text there from another window, as the browser itself does it."""
    box = await place.bounding_box()
    assert box
    data = {"items": [{"mimeType": "text/plain", "data": text}], "dragOperationsMask": 1}
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    for kind in ("dragEnter", "dragOver", "drop"):
        await client.send("Input.dispatchDragEvent", {"type": kind, **at, "data": data})


@pytest.fixture
async def watched(page: Page) -> Page:
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await page.evaluate(WATCH)
    return page


@pytest.mark.parametrize("view", ["Judge", "Compare"])
async def test_a_long_text_is_pasted_dragged_and_typed_into_without_a_long_task(
    watched: Page, view: str
) -> None:
    page = watched
    await page.get_by_role("link", name=view).click()
    name = "Conversation" if view == "Judge" else "Conversations"
    field = page.get_by_label(name, exact=True).locator("visible=true")
    note = page.locator(".held").locator("visible=true")
    await page.evaluate("text => navigator.clipboard.writeText(text)", ONE_LINE)

    async def empty() -> None:
        if await note.is_visible():
            await note.get_by_role("button", name="Take them out").click()
        await field.fill("")

    async def paste() -> None:
        await empty()
        await field.focus()
        await page.keyboard.press("Control+V")
        await expect(note).to_contain_text(f"{len(ONE_LINE):,} characters, not shown")

    pasted = await longest(page, paste)
    assert min(pasted) < LONGEST, pasted
    await note.get_by_role("button", name="Show them").click()
    await expect(note).to_contain_text(f"Characters 1 to 20,000 of {len(ONE_LINE):,} are shown")

    async def write() -> None:
        await field.focus()
        await page.keyboard.type("     ")

    typed = await longest(page, write)
    assert min(typed) < LONGEST, typed
    await note.get_by_role("button", name="Later").click()
    await expect(note).to_contain_text("Characters 20,001 to 40,000")
    assert (await field.input_value()).strip() in ONE_LINE
    client = await page.context.new_cdp_session(page)

    async def drag() -> None:
        await empty()
        await drop(client, field, ONE_LINE)
        await expect(note).to_contain_text(f"{len(ONE_LINE):,} characters, not shown")

    dragged = await longest(page, drag)
    assert min(dragged) < LONGEST, dragged
    if view == "Compare":
        await expect(page.locator(".sources > .hint")).to_contain_text("1 conversation ")


async def test_a_text_grows_where_it_is_pasted_and_stays_whole(watched: Page) -> None:
    page = watched
    field = page.get_by_label("Conversation", exact=True)
    said = "Bot: The sea is wide.\n" * 2500
    await field.fill("User: Hi\nUser: Bye")
    await field.evaluate("(one) => { one.focus(); one.setSelectionRange(9, 9); }")
    await page.evaluate("text => navigator.clipboard.writeText(text)", said)
    await page.keyboard.press("Control+V")
    note = page.locator(".held").locator("visible=true")
    await note.get_by_role("button", name="Show them").click()
    assert (await field.input_value()).startswith("User: Hi\nBot: The sea is wide.\n")
    await note.get_by_role("button", name="Later").click()
    await note.get_by_role("button", name="Later").click()
    await expect(note.get_by_role("button", name="Later")).to_have_count(0)
    assert (await field.input_value()).endswith("Bot: The sea is wide.\nUser: Bye")


async def test_a_place_far_down_a_long_text_is_shown(watched: Page, conduct: object) -> None:
    page = watched
    wrong = {"messages": [*TURN * 900, {"role": "user", "content": "hi", "mood": "calm"}]}
    await page.evaluate("text => navigator.clipboard.writeText(text)", json.dumps(wrong))
    await page.get_by_label("Conversation", exact=True).focus()
    await page.keyboard.press("Control+V")
    await page.route("**/score", lambda route: route.fulfill(status=422, json=REFUSED))
    await page.get_by_role("button", name="Judge", exact=True).click()
    await page.get_by_role("button", name="Show it in the text").click()
    field = page.get_by_label("Conversation", exact=True)
    chosen = "(text) => text.value.slice(text.selectionStart, text.selectionEnd)"
    assert await field.evaluate(chosen) == '"mood": "calm"'
    assert len(await field.input_value()) == 20_000
    conduct.complaints.clear()  # type: ignore[attr-defined]  # Chromium itself notes a status of 422


REFUSED = {
    "type": "/problems/invalid-request",
    "title": "The request does not fit the contract",
    "status": 422,
    "detail": "mood",
    "errors": [{"pointer": "/log/messages/1800/mood", "detail": "is unknown", "fix": "take it out"}],
}


async def test_texts_and_files_may_be_dropped_anywhere(watched: Page) -> None:
    page = watched
    client = await page.context.new_cdp_session(page)
    field = page.get_by_label("Conversation", exact=True)
    await drop(client, field, "User: Hi")
    await expect(field).to_have_value("User: Hi")
    await drop(client, page.get_by_role("heading", name="Judge a conversation"), "User: Hello")
    await expect(field).to_have_value("User: Hello")
    await page.get_by_role("heading", name="Judge a conversation").evaluate(
        """(place) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File(["User: From a file"], "said.txt"));
          place.dispatchEvent(new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true}));
        }"""
    )
    await expect(field).to_have_value("User: From a file")
