"""The sheet for labelling: one file in a real browser, offline, by single keys."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

from service.cli.calibration.command import calibrate
from service.cli.labelling.command import sample
from service.cli.labelling.labels import ConversationLabel, read_labels
from service.cli.records import write_records
from tests.browser.conftest import FLAGS, Conduct, looks_well
from tests.patience import PATIENCE, wait_for
from tests.unit.cli.making import record
from tools.programs import find_chromium

HOSTILE = "</script><script>alert(1)</script><img src=http://127.0.0.1:9/x onerror=alert(2)>"
ARABIC = "أريد فيلما مشوقا من فضلك"


def log(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "system": f"secret-system-{int(name[-1]) % 2}",
        "messages": [
            {"role": "user", "content": f"{ARABIC} {name[-2:]}"},
            {"role": "assistant", "content": HOSTILE, "recommendations": [HOSTILE, "Arrival"]},
        ],
    }


def sheet(folder: Path, count: int, factors: Sequence[str] = ("coherence",), **options: Any) -> Path:
    """A sheet of all of `count` judged conversations."""
    names = [f"conversation-{number:02}" for number in range(count)]
    logs = [log(name) for name in names]
    (folder / "logs.jsonl").write_text("".join(json.dumps(one) + "\n" for one in logs))
    judged = [record(name, dict.fromkeys(factors, index % 5)) for index, name in enumerate(names)]
    systems = [log(name)["system"] for name in names]
    write_records(
        folder / "results.jsonl",
        [type(one)(**{**vars(one), "system": system}) for one, system in zip(judged, systems, strict=True)],
    )
    out = folder / "sheet.html"
    sample([str(folder / "results.jsonl")], size=count, logs=[str(folder / "logs.jsonl")], out=out, **options)
    return out


@pytest.fixture
async def profile(browser: Browser, tmp_path: Path, conduct: Conduct) -> AsyncIterator[Any]:
    """Opens a browser with a profile on disk and without a network, as often as a test closes it."""
    async with async_playwright() as playwright:

        async def opened(path: Path) -> tuple[BrowserContext, Page]:
            context = await playwright.chromium.launch_persistent_context(
                tmp_path / "profile", executable_path=find_chromium(), args=list(FLAGS), offline=True
            )
            page = await context.new_page()
            conduct.watch(page, "file:/")
            page.set_default_timeout(PATIENCE * 1000)
            await page.goto(path.as_uri())
            return context, page

        yield opened


async def begin(page: Page, name: str) -> None:
    await page.get_by_label("Your name").fill(name)
    await page.keyboard.press("Enter")


async def exported(page: Page, folder: Path) -> list[ConversationLabel]:
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name="Export").first.click()
    download = await waiting.value
    path = folder / download.suggested_filename
    await asyncio.to_thread(path.write_bytes, await asyncio.to_thread((await download.path()).read_bytes))
    return await asyncio.to_thread(read_labels, [str(path)])


def stored(profile: Path) -> int:
    """Count the answers on disk. Chromium writes seconds later, and a closing one may drop what it has not written."""
    data = b"".join(path.read_bytes() for path in profile.glob("Default/Local Storage/leveldb/*.log"))
    return len(set(re.findall(rb"crs-eval-label \S+ \S+ (\d+)", data)))


async def test_ten_are_labelled_by_single_keys_closed_reopened_exported_and_calibrated(
    profile: Any, tmp_path: Path
) -> None:
    path = await asyncio.to_thread(sheet, tmp_path, 30)
    context, page = await profile(path)
    await begin(page, "Anna Ö.")
    for number in range(10):
        await expect(page.get_by_role("heading", name=f"Conversation {number + 1} of 33")).to_be_focused()
        await page.keyboard.press(str(number % 5))
    await asyncio.to_thread(wait_for, lambda: stored(tmp_path / "profile") == 10)
    await context.close()

    context, page = await profile(path)
    await page.get_by_role("button", name="Go on as Anna Ö.: 10 of 33 done").click()
    await expect(page.get_by_role("heading", name="Conversation 11 of 33")).to_be_visible()
    await page.keyboard.press("x")
    for _ in range(22):
        await page.keyboard.press("3")
    await expect(page.get_by_text("Every conversation has its labels.")).to_be_visible()
    labels = await exported(page, tmp_path)
    await context.close()

    assert len(labels) == 32, "an answer that nobody can give is none"
    assert {label.rater for label in labels} == {"Anna Ö."}
    repeats = [label for label in labels if label.repeat]
    firsts = {label.conversation: label for label in labels if not label.repeat}
    assert len(repeats) == 3
    assert len(firsts) == 29
    # Conversations that came again had come among the first: the scores of keys 0, 1, 2, and then 3.
    assert {firsts[label.conversation].score for label in repeats} == {0, 1, 2}
    assert {label.score for label in repeats} == {3}
    assert {label.system for label in labels} == {"secret-system-0", "secret-system-1"}

    exports = [str(tmp_path / "labels-Anna-Ö-.jsonl")]
    out = tmp_path / "shop.json"
    results = [str(tmp_path / "results.jsonl")]
    await asyncio.to_thread(lambda: calibrate(results, labels=exports, out=out))
    made = json.loads(out.read_text())
    whole = made["means"][0]
    assert (whole["n"], whole["judged"]) == (29, 30)
    assert whole["plain"]["mean"] == pytest.approx(sum(one.score for one in firsts.values()) / 29, abs=6e-5)


async def test_several_questions_are_answered_in_turn_and_an_answer_can_be_changed(
    opened: Page, tmp_path: Path
) -> None:
    path = await asyncio.to_thread(sheet, tmp_path, 4, ("coherence", "concept-manner"))
    await opened.goto(path.as_uri())
    await begin(opened, "ben")
    first = opened.get_by_role("group", name="Coherence")
    second = opened.get_by_role("group", name="Manner")
    await expect(first).to_have_attribute("aria-current", "true")
    await opened.keyboard.press("0")
    await expect(second).to_have_attribute("aria-current", "true")
    await opened.keyboard.press("0")  # no level of this scale, 1 to 5
    await expect(second.get_by_role("radio", checked=True)).to_have_count(0)
    await opened.keyboard.press("5")
    await expect(opened.get_by_role("heading", name="Conversation 2 of 4")).to_be_visible()
    await opened.keyboard.press("b")
    await expect(second.get_by_label("5 ", exact=False)).to_be_checked()
    await first.get_by_label("Every reply answers what the user meant.").check()
    await expect(opened.get_by_role("heading", name="Conversation 1 of 4")).to_be_visible()
    await opened.get_by_label("Answer by single keys").uncheck()
    await opened.keyboard.press("n")
    await expect(opened.get_by_role("heading", name="Conversation 1 of 4")).to_be_visible()
    labels = await exported(opened, tmp_path)
    assert {label.factor: label.score for label in labels} == {"coherence": 4, "concept-manner": 5}


async def test_annotators_have_labels_and_an_order_of_their_own(opened: Page, tmp_path: Path) -> None:
    path = await asyncio.to_thread(sheet, tmp_path, 20)
    await opened.goto(path.as_uri())
    orders = {}
    for name in ("anna", "ben"):
        await begin(opened, name)
        for _ in range(5):
            await opened.keyboard.press("2")
        await expect(opened.get_by_role("heading", name="Conversation 6 of 23")).to_be_visible()
        labels = await exported(opened, tmp_path)
        assert {label.rater for label in labels} == {name}
        orders[name] = {label.conversation for label in labels}
        await opened.get_by_role("button", name=f"Not {name}?").click()
    assert orders["anna"] != orders["ben"]
    await expect(opened.get_by_role("button", name="Go on as")).to_have_count(2)
    await begin(opened, "People")
    await expect(opened.get_by_role("alert")).to_contain_text("choose another name")


async def test_what_logs_say_is_text_and_nobody_sees_system_or_judge(opened: Page, tmp_path: Path) -> None:
    path = await asyncio.to_thread(sheet, tmp_path, 4)
    assert "secret-system" not in path.read_text() + path.with_suffix(".csv").read_text()
    await opened.goto(path.as_uri())
    await begin(opened, HOSTILE)
    content = opened.locator(".content")
    await expect(content.nth(1)).to_have_text(HOSTILE)
    await expect(content.first).to_have_attribute("dir", "auto")
    assert await content.first.evaluate("element => element.matches(':dir(rtl)')")
    await expect(opened.locator("img")).to_have_count(0)
    assert "builtin" not in await opened.locator("main").inner_text()


async def test_it_reads_well_narrow_wide_light_and_dark(opened: Page, tmp_path: Path) -> None:
    path = await asyncio.to_thread(sheet, tmp_path, 4, ("coherence", "effectiveness"))
    # The policy would not let axe in; the other tests run under it.
    await asyncio.to_thread(
        lambda: path.write_text(path.read_text().replace('http-equiv="Content-Security-Policy"', "hidden"))
    )
    await opened.goto(path.as_uri())
    await looks_well(opened)
    await begin(opened, "anna")
    await looks_well(opened)
    for _ in range(8):
        await opened.keyboard.press("1")
    await expect(opened.get_by_text("Every conversation has its labels.")).to_be_visible()
    await looks_well(opened)


async def test_a_browser_that_keeps_nothing_says_so(opened: Page, tmp_path: Path) -> None:
    path = await asyncio.to_thread(sheet, tmp_path, 4)
    await opened.add_init_script("Storage.prototype.setItem = () => { throw new DOMException('full'); }")
    await opened.goto(path.as_uri())
    await begin(opened, "anna")
    await opened.keyboard.press("2")
    await expect(opened.get_by_role("alert")).to_contain_text("Export them before you close it")
    assert len(await exported(opened, tmp_path)) == 1
