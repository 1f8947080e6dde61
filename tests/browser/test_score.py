"""One conversation judged on the page, as a person would do it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, expect

from tests.browser.conftest import Conduct, judge, pick
from tests.registries import CORE, VERDICTS
from tools.service_process import running_service

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
EVIDENCE = {"message": 0, "quote": "is <b>calm</b>", "message_id": None, "effect": None}

CHAT = [
    {"role": "system", "content": "You recommend films."},
    {"role": "user", "content": "Any quiet film about the sea?"},
    {"role": "assistant", "content": [{"type": "text", "text": "Paper Lanterns: slow, and set by the sea."}]},
]


async def open_options(page: Page) -> None:
    await page.locator(".options > summary").locator("visible=true").click()


async def test_an_example_stands_there_as_people_post_it(page: Page) -> None:
    for path in (EXAMPLES / "logs").glob("*.json"):
        await pick(page, path.stem)
        shown = page.get_by_label("Conversation", exact=True)
        await expect(shown).to_have_value(re.compile(f'"id": "{path.stem}"'))
        assert json.loads(await shown.input_value()) == json.loads(path.read_text())


async def test_what_is_not_assessable_is_said_and_never_drawn_as_zero(page: Page) -> None:
    await pick(page, "live")
    await expect(page.get_by_role("status")).to_contain_text(f"{VERDICTS} on live")
    row = page.locator(".bar", has_text="Novelty")
    await expect(row).to_be_hidden()
    await page.locator(".unassessed > summary").click()
    await expect(row).to_contain_text("not assessable")
    await expect(row.locator(".fill")).to_have_count(0)
    await expect(page.locator(".bar", has_text="Coherence").locator(".fill")).to_have_count(1)


async def test_a_quote_is_marked_where_it_stands(page: Page, service: str) -> None:
    log = {"messages": [{"role": "assistant", "content": "Try it, it is <b>calm</b>."}]}
    answer = await (await page.request.post(f"{service}/score", data={"log": log})).json()
    verdict = {**answer["verdicts"][0], "flags": [], "faults": [], "method": "rating", "evidence": [EVIDENCE]}
    events = [("verdict", verdict), ("done", {**answer, "verdicts": [verdict]})]
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    await page.route("**/score", lambda route: route.fulfill(content_type="text/event-stream", body=body))
    await judge(page, log)
    await page.locator(".cited-by .chip").click()
    await expect(page.locator("mark")).to_have_text("is <b>calm</b>")


async def test_chat_messages_are_read_and_instructions_left_out(page: Page) -> None:
    await judge(page, CHAT)
    await expect(page.get_by_role("status")).to_contain_text(VERDICTS)
    await expect(page.locator(".transcript .message")).to_have_count(2)
    await expect(page.locator(".transcript")).to_contain_text("slow, and set by the sea")
    await expect(page.locator(".transcript .place")).to_have_text(["1", "2"])


TOOLS = [
    {"role": "user", "content": "Any quiet film about the sea?"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "sea"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Paper Lanterns"}]},
    {"role": "tool", "tool_call_id": "t2", "content": ""},
    {"role": "assistant", "content": None, "parts": [None, {"type": "items", "items": ["Paper Lanterns"]}]},
]  # fmt: skip


async def test_calls_of_tools_and_cards_of_names_alone_are_read(page: Page) -> None:
    await judge(page, TOOLS)
    await expect(page.get_by_role("status")).to_contain_text(VERDICTS)
    await expect(page.locator(".transcript .place")).to_have_text(["0", "1", "2", "4"])
    await expect(page.locator(".transcript .tool > summary")).to_have_text(
        ["Calls search", "The tool answered"]
    )
    await expect(page.locator(".transcript pre").first).to_contain_text('"q": "sea"')
    await expect(page.locator(".shown-item .title")).to_have_text("Paper Lanterns")


def as_lines(*values: Any) -> str:
    return "\n".join(json.dumps(value) for value in values)


LOG = {"messages": CHAT}


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (as_lines(*CHAT), [3]),
        (as_lines(LOG, {"log": LOG}), [3, 3]),
        (json.dumps([LOG, CHAT]), [3, 3]),
        (json.dumps({"logs": [LOG]}), [3]),
        (json.dumps(LOG, indent=2), [3]),
    ],
)
async def test_messages_as_lines_are_one_conversation_and_logs_as_lines_are_many(
    page: Page, text: str, messages: list[int]
) -> None:
    asked: list[dict[str, Any]] = []

    async def refuse(route: Route) -> None:
        lines = [json.loads(line) for line in (route.request.post_data or "").splitlines()]
        asked.extend(lines)
        refusal = {"status": 422, "body": {"title": "No", "detail": "not today"}}
        await route.fulfill(body=as_lines(*({"custom_id": one["custom_id"], **refusal} for one in lines)))

    await page.route("**/batch", refuse)
    await page.get_by_role("link", name="Compare").click()
    await page.get_by_label("Conversations", exact=True).fill(text)
    await page.get_by_role("button", name="Compare", exact=True).click()
    await expect(page.locator(".failure")).to_have_count(len(messages))
    await expect(page.locator(".failure").first).to_have_text("not today")
    sent = [one["body"]["log"]["messages"] for one in asked]
    assert [len(one) for one in sent] == messages
    # Instructions keep their place without their text, so that verdicts cite messages by the numbers of the text.
    assert all(one[0] == {"role": "tool", "content": ""} for one in sent)


async def test_a_file_is_opened(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(CHAT))
    await page.get_by_role("button", name="Open a file").set_input_files(path)
    text = page.get_by_label("Conversation", exact=True)
    await expect(text).to_have_value(path.read_text())


async def test_one_factor_can_be_chosen(page: Page) -> None:
    await pick(page, "live")
    await open_options(page)
    await (
        page.get_by_role("region", name="Judge a conversation").get_by_text("Factors: the usual ones").click()
    )
    core = page.get_by_role("region", name="Judge a conversation").get_by_role("group", name="core")
    await core.get_by_label("core").uncheck()
    await core.get_by_label("Coherence").check()
    await expect(page.get_by_text("Factors: Coherence").first).to_be_visible()
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text("1 verdict on live")


async def test_text_that_no_format_fits_is_told(page: Page, conduct: Conduct) -> None:
    note = page.locator(".picker .text .hint").first
    await judge(page, "User: Any lamp?\nBot: Vega, for 30 euros.")
    await expect(note).to_contain_text("Read as transcript")
    await judge(page, "hello")
    alert = page.get_by_role("alert")
    await expect(note).not_to_contain_text("Read as")
    await expect(alert).not_to_contain_text("--roles")
    await expect(alert).to_contain_text("No conversation was found in this text: it has no speakers")
    await expect(alert.get_by_role("button")).to_have_count(0)
    conduct.complaints.clear()  # Chromium itself notes a status of 422


@pytest.mark.parametrize(
    ("text", "line", "chosen"),
    [
        (
            '{\n "messages": [\n  {"role": "user", "content": "hi"}\n  {"role": "assistant"}\n ]\n}',
            "line 4:",
            "{",
        ),
        ('{"messages": [{"role": "user", "content": "hi"}]', "line 1:", "]"),
    ],
)
async def test_json_is_shown_where_it_breaks(
    page: Page, conduct: Conduct, text: str, line: str, chosen: str
) -> None:
    field = page.get_by_label("Conversation", exact=True)
    await field.fill(text)
    await page.get_by_role("button", name="Judge", exact=True).click()
    alert = page.get_by_role("alert")
    await expect(alert).to_contain_text("This is not the JSON that it begins as: Expected")
    await expect(alert.locator("pre")).to_contain_text(line)
    await alert.get_by_role("button", name="Show it in the text").click()
    taken = "(text) => text.value.slice(text.selectionStart, text.selectionEnd)"
    assert await field.evaluate(taken) == chosen
    conduct.complaints.clear()  # Chromium itself notes a status of 422


async def test_the_judges_that_may_be_named_are_offered(browser: Browser) -> None:
    """A pattern leaves the model's name to the person; a model that does not answer is reported."""
    settings = {
        "JUDGES": "builtin,openai:*",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "REQUEST_TIMEOUT": "2",
    }
    with running_service({**settings, "CATALOGS": str(EXAMPLES / "crs")}) as url:
        async with await browser.new_context() as context:
            page = await context.new_page()
            await page.goto(url)
            await open_options(page)
            judge = page.get_by_role("region", name="Judge a conversation").get_by_label("Judge", exact=True)
            await expect(judge.locator("option")).to_have_text(["default (builtin)", "builtin", "openai:…"])
            await (
                page.get_by_role("region", name="Judge a conversation")
                .get_by_label("Catalogue")
                .select_option("films")
            )
            await pick(page, "good")
            await judge.select_option("openai:*")
            model = page.get_by_role("textbox", name="Name of the model")
            await expect(model).to_have_value("openai:")
            bodies: list[str | None] = []

            async def note(route: Route) -> None:
                bodies.append(route.request.post_data)
                await route.continue_()

            await page.route("**/score", note)
            for typed in ("", "openai:", "gone", "openai:gone"):
                await model.fill(typed)
                await page.get_by_role("button", name="Judge", exact=True).click()
                message = "Status 50" if "gone" in typed else "Judge: name the model after openai:"
                await expect(page.get_by_role("alert")).to_contain_text(message)
            asked = [json.loads(body or "") for body in bodies]
            assert [(body["judge"], body["catalog"]) for body in asked] == [("openai:gone", "films")] * 2


async def test_a_factor_of_ones_own_is_judged_beside_the_others(page: Page) -> None:
    rubric = {"slug": "custom-brevity", "definition": "Brief?", "levels": {"0": "No.", "1": "Yes."}}
    await open_options(page)
    await page.get_by_text("Factors of your own").locator("visible=true").click()
    own = page.get_by_label("Factors of your own", exact=True).locator("visible=true")
    await own.fill("{")
    await pick(page, "good")
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(page.get_by_text("The factors of your own are not JSON")).to_be_visible()
    await own.fill(json.dumps([rubric]))
    await page.get_by_role("button", name="Judge", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text(f"{len(CORE) + 1} verdicts on good")
    row = page.locator(".bar", has_text="Brevity")
    await expect(row).to_contain_text("not assessable")
