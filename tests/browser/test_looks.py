"""Every view as people see it: on a wide screen, a small one and a phone, light and dark, axe without findings."""

import base64
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.async_api import Locator, Page, Route, expect

from tests.browser.conftest import AXE, Conduct, example, fill_sources, first_example, judge, lines, pick
from tests.factories import in_turns, known
from tests.registries import CORE, ROLES, VERDICTS

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDTHS = (1440, 390)
ALSO = {390: (360,), 1440: (1024, 2560)}
"""Widths that nothing may run over either, by the one that is looked at."""
WIDE = 900
"""Pixels from which conversation and verdicts stand side by side."""
INSIDERS = ("a log of ours", "twelve of core", "the twelve of CoRE")


def width_of(page: Page) -> int:
    return known(page.viewport_size)["width"]


async def check(page: Page) -> None:
    """In light and in dark: axe finds nothing, and nothing is wider than the screen."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE_SCRIPT)
    width = width_of(page)
    for scheme in SCHEMES:
        await page.emulate_media(color_scheme=scheme)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        found = await page.evaluate("o => axe.run(document, o)", AXE[scheme])
        violations = [
            (one["id"], node["html"], node["failureSummary"])
            for one in found["violations"]
            for node in one["nodes"]
        ]
        assert not violations, scheme
    for other in ALSO.get(width, ()):
        await page.set_viewport_size({"width": other, "height": 900})
        assert await page.evaluate("document.documentElement.scrollWidth") <= other


async def top(place: Locator) -> float:
    return float(await place.evaluate("one => one.getBoundingClientRect().top"))


async def first_screen(page: Page) -> None:
    await first_example(page)
    shown = await page.locator("main").inner_text()
    assert not [words for words in INSIDERS if words.lower() in shown.lower()]
    await expect(page.locator(".lead").first).to_contain_text(
        "says how good the recommender was, why, and how sure"
    )
    await expect(page.get_by_label("Conversation", exact=True)).to_be_visible()
    await expect(page.get_by_role("button", name="Open a file")).to_be_visible()
    await expect(page.get_by_role("group", name="Examples").get_by_role("button")).to_have_count(7)
    if width_of(page) > WIDE:
        assert await top(page.locator(".conclusion")) < 0.7 * 900
    await expect(page.locator(".example-note")).to_contain_text("An example")


async def judged(page: Page) -> None:
    await pick(page, "broken")
    await expect(page.get_by_role("status")).to_contain_text(f"{VERDICTS} on broken")
    conclusion = page.get_by_role("region", name="Conclusion")
    await expect(conclusion).to_contain_text("the mean of")
    await expect(conclusion).to_contain_text("Confidence: ")
    assert await conclusion.locator(".sentence button").count() >= 2
    assert await top(conclusion) < await top(page.locator(".transcript"))
    # Worst first within each dimension, in more than one colour.
    for group in await page.locator(".dimension").all():
        shares = [
            float(await one.evaluate("one => one.style.getPropertyValue('--share')"))
            for one in await group.locator(".fill").all()
        ]
        assert shares == sorted(shares)
    colours = await page.locator(".fill").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).backgroundColor)"
    )
    assert len(set(colours)) >= 3
    # A reply's faults lead to the verdicts that they lower; the verdict's evidence leads back.
    note = page.locator(".message.assistant .fault").first
    await note.locator("summary").click()
    await note.get_by_role("button").first.click()
    await expect(page.locator(".card.selected")).to_have_count(1)
    await page.locator(".card.selected .evidence button").first.click()
    await expect(page.locator(".message.cited:focus")).to_have_count(1)
    panes = [await page.locator(".bench > .pane").nth(at).bounding_box() for at in (0, 1)]
    assert panes[0]
    assert panes[1]
    assert (panes[0]["x"] + panes[0]["width"] <= panes[1]["x"]) is (width_of(page) > WIDE)
    assert (await page.locator(".message .here .card").count() > 0) is (width_of(page) <= WIDE)


async def unusual(page: Page) -> None:
    """Cards, tools, what is missing, what is said once."""
    await pick(page, "shop")
    await expect(page.get_by_role("status")).to_contain_text(f"{VERDICTS} on shop")
    await expect(page.locator(".shown.carousel .shown-item").first).to_contain_text("Price 99 EUR")
    await expect(page.locator(".tool > summary").first).to_have_text("Calls search_products")
    await expect(page.locator(".tool pre").first).to_be_hidden()
    keys = await page.locator(".conclusion .warning").all_inner_texts()
    assert len(keys) == len(set(keys))
    await judge(page, {"messages": in_turns("Hi", "Hello.")})
    await expect(page.locator(".unassessed > summary")).to_contain_text("not assessable")
    await page.locator(".unassessed > summary").first.click()
    await expect(page.locator(".unassessed .card").first).to_be_visible()


async def debated(page: Page) -> None:
    await page.evaluate("location.hash = '#debate'")
    await pick(page, "mediocre")
    await page.get_by_role("button", name="Debate", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text("Debated in")
    await expect(page.locator(".rounds .statement")).to_have_count(len(ROLES))


async def simulated(page: Page) -> None:
    async def end(route: Route) -> None:
        answer = await (await route.fetch()).json()
        if json.loads(route.request.post_data or "")["log"]["messages"]:
            answer.update(message=None, done=True, outcome="accepted", satisfaction=4)
        await route.fulfill(json=answer)

    await page.route("**/simulate", end)
    await page.evaluate("location.hash = '#simulate'")
    await page.get_by_role("button", name="Begin").click()
    await expect(page.get_by_label("Your reply")).to_be_focused()
    await page.get_by_label("Your reply").fill("Try Paper Comets (2015): a playful mystery.")
    await page.get_by_role("button", name="Reply").click()
    await expect(page.get_by_role("region", name="Outcome")).to_contain_text("Accepted")


async def compared(page: Page) -> None:
    await page.evaluate("location.hash = '#compare'")
    kinds = {"fine": "good", "weak": "broken", "middling": "mediocre"}
    logs = [
        {**example(kind), "id": f"a-rather-long-name-of-a-user-{index}", "system": system}
        for system, kind in kinds.items()
        for index in range(6)
    ]
    await fill_sources(page, lines(logs))
    await expect(page.locator(".sources > .hint")).to_contain_text(
        "18 conversations (fine 6, weak 6, middling 6)"
    )
    await page.get_by_role("button", name="Compare", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text("18 conversations judged")
    await expect(page.locator(".form > .sources")).to_be_hidden()
    better = r"fine is better than each of the other 2, and than the next, middling, by \d\.\d\d of 4 points \(6 conv"
    await expect(page.locator("p.verdict")).to_contain_text(re.compile(better))
    board = page.get_by_role("region", name="Leaderboard")
    assert await board.locator("tbody th").all_inner_texts() == ["fine", "middling", "weak"]
    await expect(board.locator("tbody tr").first.locator("td").first).to_contain_text("\N{BLACK STAR}")
    if width_of(page) >= 1440:
        assert await board.evaluate("one => one.scrollWidth <= one.clientWidth")
    heads = await board.locator("thead th").all_inner_texts()
    place = heads.index("Novelty") - 1
    alike = [await row.locator("td").nth(place).inner_text() for row in await board.locator("tbody tr").all()]
    assert not [text for text in alike if "\N{BLACK STAR}" in text]
    await expect(page.get_by_role("region", name="weak minus fine")).to_be_visible()
    await page.get_by_label("Baseline").select_option("middling")
    await expect(page.get_by_role("region", name="weak minus middling")).to_be_visible()
    await expect(page.get_by_role("region", name="weak minus fine")).to_have_count(0)
    await expect(page.get_by_role("region", name="Distributions")).to_be_visible()
    tops = [
        await top(one)
        for one in (board, page.get_by_role("region", name="Distributions"), page.locator(".table"))
    ]
    assert tops == sorted(tops)
    height = "one => one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).lineHeight)"
    assert await page.locator(".table tbody th .link").first.evaluate(height) < 1.8


async def labelled(page: Page) -> None:
    await compared(page)
    await page.evaluate("location.hash = '#label'")
    await expect(page.get_by_role("checkbox", name="Coherence", exact=True)).to_be_checked()
    await page.get_by_label("Your name").fill("anna")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Conversation 1 of")).to_be_visible()
    for _ in range(20):
        if await page.get_by_text("Every conversation has its labels.").is_visible():
            break
        await page.keyboard.press("2")
    await page.get_by_role("button", name="Calibrate").locator("visible=true").click()
    await expect(page.locator("#view-label .verdict")).to_contain_text("people would give")


async def kept(page: Page) -> None:
    await pick(page, "good")
    await expect(page.get_by_role("status")).to_contain_text(f"{VERDICTS} on good")
    await page.get_by_role("button", name="Past runs").click()
    await expect(page.get_by_role("button", name="Delete good")).to_be_visible()


async def refused(page: Page) -> None:
    await judge(
        page,
        {
            "messages": [
                {"role": "user", "content": "hi", "mood": "calm"},
                {"role": "assistant", "content": "Yes?"},
            ]
        },
    )
    alert = page.locator(".results").get_by_role("alert").first
    await expect(alert).to_contain_text("Status 422")
    await expect(page.locator(".example-note")).to_be_visible()
    await alert.get_by_role("button", name="Show it in the text").first.click()
    await expect(page.get_by_label("Conversation", exact=True)).to_be_focused()
    await alert.get_by_role("button", name="Leave out what does not fit").click()
    await expect(page.get_by_role("status")).to_contain_text(VERDICTS)
    await page.route("**/score", lambda route: route.abort())
    await judge(page, example("good"))
    await expect(alert.get_by_role("button", name="Try again")).to_be_visible()
    await expect(page.locator(".bar.waiting")).to_have_count(0)


async def examined(page: Page) -> None:
    await page.get_by_role("link", name="Exam").click()
    await page.get_by_label("Faults").select_option("loops")
    await page.get_by_role("button", name="Examine").click()
    cells = page.locator(".heat tr[data-fault=loops] .cell")
    await expect(cells).to_have_count(len(CORE))
    await expect(cells.and_(page.locator(".right"))).to_have_count(2)


WALKS = (first_screen, judged, unusual, debated, simulated, compared, examined, labelled, kept, refused)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.__name__)
async def test_every_view_shows_what_it_should_and_reads_well(
    page: Page, conduct: Conduct, walk: Callable[[Page], Awaitable[None]], width: int
) -> None:
    await page.set_viewport_size({"width": width, "height": 900})
    await walk(page)
    await check(page)
    conduct.complaints[:] = [one for one in conduct.complaints if "Failed to load resource" not in one]


TABLE = "conversation;who;words\nc1;buyer;Grüße, a quiet film?\nc1;seller;Paper Lanterns (2009)\n"


async def test_other_formats_are_imported_and_it_is_told_what_was_left_out(page: Page) -> None:
    note = page.get_by_role("note").locator("visible=true")
    await judge(page, "User: A quiet film, please\nBot: Try Paper Lanterns (2009)\n")
    await expect(page.get_by_role("status")).to_contain_text(VERDICTS)
    await expect(note).to_contain_text("Read as transcript: 1 conversation. Left out: nothing.")
    await judge(
        page,
        {
            "dialogue": [{"speaker": "Human", "text": "Hi"}, {"speaker": "Bot", "text": "Hello"}],
            "blob": [[1]],
        },
    )
    await expect(note).to_contain_text("Read as chat: 1 conversation.")
    await expect(page.locator(".transcript .message")).to_have_count(2)
    await page.get_by_text("Another format").locator("visible=true").click()
    await page.get_by_label("Fields").locator("visible=true").fill("role=who, content=words")
    await page.get_by_label("Speakers").locator("visible=true").fill("buyer=user, seller=assistant")
    data = "new Uint8Array(atob(given).split('').map((one) => one.charCodeAt(0)))"
    await page.get_by_label("Conversation", exact=True).evaluate(
        f"""(place, given) => {{
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([{data}], "chats.csv"));
          place.dispatchEvent(new DragEvent("drop", {{dataTransfer, bubbles: true, cancelable: true}}));
        }}""",
        base64.b64encode(TABLE.encode("cp1252")).decode(),
    )
    await expect(note).to_contain_text(
        "Read as csv, encoding cp1252; columns separated by ';': 1 conversation."
    )
    await expect(page.get_by_label("Conversation", exact=True)).to_have_value(
        re.compile(re.escape("Grüße, a quiet film?"))
    )


async def test_a_panel_is_asked_and_each_member_is_read(page: Page, service: str) -> None:
    """The service answers for one judge; its verdicts are put together as those of a panel are."""
    log = example("good")
    answer = await (
        await page.request.post(f"{service}/score", data={"log": log, "factors": ["coherence"]})
    ).json()
    one = {**answer["verdicts"][0], "faults": []}
    bare = {
        name: value for name, value in one.items() if name not in ("calibrated", "panel", "comparison_key")
    }
    members = [
        {**bare, "score": score, "judge": {"name": name, "model": "m"}, "rationale": f"{name} says so."}
        for name, score in (("builtin", 3.0), ("local", 1.0))
    ]
    said = "calm words " * 8000
    verdict = {
        **one,
        "score": 2.0,
        "rationale": said,
        "panel": members,
        "samples": {"requested": 2, "n": 2, "scores": [3, 1], "spread": 1.0},
    }
    unasked = {
        **one,
        "factor": "novelty",
        "score": None,
        "status": "not_assessable",
        "judge": {"name": "local", "model": "asked-for"},
        "reason": {"code": "missing_input", "detail": "It needs titles.", "missing": []},
    }
    asked: list[dict[str, Any]] = []

    async def panel(route: Route) -> None:
        asked.append(json.loads(route.request.post_data or ""))
        verdicts = [verdict, unasked]
        events = [*(("verdict", one) for one in verdicts), ("done", {**answer, "verdicts": verdicts})]
        body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
        await route.fulfill(content_type="text/event-stream", body=body)

    await first_example(page)
    await page.route("**/score", panel)
    await page.locator(".options > summary").locator("visible=true").click()
    view = page.get_by_role("region", name="Judge a conversation")
    await view.get_by_text("Several judges").click()
    await view.get_by_label("Panel", exact=True).fill("builtin, local:m")
    await view.get_by_label("Score of a panel").select_option("median")
    await view.get_by_label("Judges of single factors").fill("novelty=builtin\nfluency = builtin + local:m")
    await view.get_by_text("For each factor of CoRE the model").click()
    await judge(page, log)
    await expect(page.locator(".sentence")).to_contain_text("Coherence")
    await page.locator(".costs button").click()
    await expect(page.locator(".card.selected .rationale")).to_have_text(said)
    assert await page.locator(".card.selected .rationale").evaluate(
        "one => one.scrollHeight == one.clientHeight"
    )
    await expect(page.locator(".total .facts")).to_contain_text("judged by builtin:m, local:m · ")
    fold = page.locator(".card .members")
    await expect(fold.locator("summary")).to_have_text("2 judges: 3, 1, spread 1")
    await fold.locator("summary").click()
    await expect(fold.locator("li")).to_contain_text(["builtin:m", "local:m"])
    await expect(fold.locator("li").last).to_contain_text("local says so.")
    sent = {
        name: asked[-1].get(name)
        for name in ("panel", "aggregate", "factor_judges", "factor_panels", "mixture", "judge")
    }
    assert sent == {
        "panel": ["builtin", "local:m"],
        "aggregate": "median",
        "factor_judges": {"novelty": "builtin"},
        "factor_panels": {"fluency": ["builtin", "local:m"]},
        "mixture": "core",
        "judge": None,
    }
    await check(page)


async def test_names_without_a_gap_stay_in_their_places(page: Page) -> None:
    long = "Liebe_in_Zeiten_der_Cholera_" * 12
    said = {"role": "user", "content": "Hi"}
    shown = {"content": "This.", "parts": [{"type": "items", "items": [{"title": long, "id": long}]}]}
    log = {
        "id": long,
        "messages": [
            said,
            {"role": "assistant", "content": "That.", "recommendations": [long]},
            said,
            {"role": "assistant", **shown},
        ],
    }
    wide = """() => [...document.querySelectorAll("h2, .status, .bubble, .bubble *")].filter((one) => one.checkVisibility()
        && (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline"
            || one.getBoundingClientRect().right > one.parentElement.getBoundingClientRect().right + 1)
        ).map((one) => one.outerHTML.slice(0, 60))"""
    await judge(page, log)
    await expect(page.get_by_role("status")).to_contain_text(f"{VERDICTS} on {long}")
    for width in (*WIDTHS, 1024):
        await page.set_viewport_size({"width": width, "height": 900})
        assert await page.evaluate(wide) == [], width
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
    await page.get_by_role("link", name="Compare").click()
    await fill_sources(page, *(json.dumps({**log, "id": "a", "system": name}) for name in (long, "alpha")))
    await page.get_by_role("button", name="Compare", exact=True).click()
    await expect(page.get_by_role("heading", name=f"alpha minus {long}")).to_be_visible()
    for width in (*WIDTHS, WIDE):
        await page.set_viewport_size({"width": width, "height": 900})
        assert await page.evaluate(wide) == [], width
        assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_no_name_of_a_factor_breaks_inside_a_word(page: Page) -> None:
    await page.set_viewport_size({"width": WIDE, "height": 900})
    await pick(page, "broken")
    await expect(page.get_by_role("status")).to_contain_text(f"{VERDICTS} on broken")
    unassessed = page.locator(".unassessed > summary")
    if await unassessed.is_visible():
        await unassessed.click()
    broken = await page.locator(".verdicts .name").evaluate_all(
        """all => all.flatMap((one) => [...one.textContent.matchAll(/\\S+/g)].filter((word) => {
            const range = document.createRange();
            range.setStart(one.firstChild, word.index);
            range.setEnd(one.firstChild, word.index + word[0].length);
            return range.getClientRects().length > 1;
        }).map(([word]) => word))"""
    )
    assert broken == []
    assert await page.locator(".verdicts .name").locator("visible=true").count() == len(CORE)
