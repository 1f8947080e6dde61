"""Results that stay, and that can be given to others."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Page, expect

from tests.browser.conftest import first_example, judged, pick
from tests.factories import in_turns
from tests.registries import CORE, VERDICTS
from tools import toolchains
from tools.service_process import ROOT

LOG = {"id": "sea", "messages": in_turns("Any quiet film? It's urgent", "Paper Lanterns (2014).")}


async def clipboard(page: Page, button: str) -> str:
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await page.get_by_role("button", name=button).click()
    await expect(page.get_by_text(f"{button}: copied.")).to_be_visible()
    return str(await page.evaluate("navigator.clipboard.readText()"))


async def saved(page: Page, button: str) -> Path:
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name=button).locator("visible=true").click()
    return await (await waiting.value).path()


async def test_a_reload_keeps_the_result_and_runs_are_opened_and_deleted(page: Page) -> None:
    await pick(page, "good")
    await expect(page.get_by_role("status")).to_contain_text(f"{VERDICTS} on good")
    await judged(page, LOG)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.reload()
    await expect(page.get_by_role("status").first).to_contain_text(f"{VERDICTS} on sea")
    await expect(page.locator(".transcript")).to_contain_text("Any quiet film?")
    assert not [url for url in asked if url.endswith("/score")]
    await page.get_by_role("button", name="Past runs").click()
    runs = page.get_by_role("dialog", name="Past runs")
    await expect(runs.get_by_role("listitem")).to_have_count(2)
    await expect(runs.get_by_role("listitem").first).to_contain_text(" of 4")
    await runs.get_by_role("button", name="good", exact=True).click()
    await expect(page.get_by_role("status").first).to_contain_text(f"{VERDICTS} on good")
    await page.get_by_role("button", name="Past runs").click()
    await runs.get_by_role("button", name="Delete sea").click()
    await expect(runs.get_by_role("listitem")).to_have_count(1)
    await runs.get_by_role("button", name="Delete good").click()
    await expect(runs).to_contain_text("No runs are kept yet")
    await page.reload()
    await first_example(page)


async def test_a_browser_that_keeps_nothing_judges_all_the_same(page: Page) -> None:
    await page.add_init_script(
        "IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError'); }"
    )
    await page.reload()
    await judged(page, LOG)
    await page.get_by_role("button", name="Past runs").click()
    await expect(page.get_by_role("dialog")).to_contain_text("This browser keeps no runs")


async def test_a_downloaded_run_opens_again(page: Page) -> None:
    await judged(page, LOG)
    path = await saved(page, "Download JSON")
    assert json.loads(path.read_text())["content"]["log"]["id"] == "sea"
    assert b"sea,,coherence,scored" in (await saved(page, "Download CSV")).read_bytes()
    assert b'"conversation":"sea"' in (await saved(page, "Download report")).read_bytes()
    await pick(page, "good")
    await expect(page.get_by_role("status").first).to_contain_text(f"{VERDICTS} on good")
    await page.get_by_role("button", name="Past runs").click()
    await page.get_by_label("Open a run, or results").set_input_files(path)
    await expect(page.get_by_role("status").first).to_contain_text(f"{VERDICTS} on sea")
    await page.get_by_role("button", name="Past runs").click()
    wrong: Any = {"name": "notes.json", "mimeType": "application/json", "buffer": b"[1]"}
    await page.get_by_label("Open a run, or results").set_input_files(wrong)
    await expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text(
        "notes.json holds neither a run"
    )


async def test_what_is_copied_asks_for_the_same(
    page: Page, tmp_path: Path, have: Callable[[Callable[[], Path]], Path]
) -> None:
    have(toolchains.curl)
    await judged(page, LOG)
    answer = json.loads(await clipboard(page, "Copy JSON"))
    assert len(answer["verdicts"]) == len(CORE)
    curl = await clipboard(page, "Copy as curl")
    assert "Authorization" not in curl
    done = await asyncio.to_thread(subprocess.run, ["bash", "-c", curl], capture_output=True, check=True)
    assert json.loads(done.stdout)["summaries"] == answer["summaries"]
    code = await clipboard(page, "Copy as Python")
    command = [sys.executable, "-c", code]
    environment = {"PYTHONPATH": str(ROOT / "clients" / "python")}
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, env=environment, check=True)
    assert len(done.stdout.splitlines()) == len(CORE)
    assert b"coherence" in done.stdout
    typed = await clipboard(page, "Copy as TypeScript")
    program = tmp_path / "ask.mts"
    program.write_text(typed.replace("crs-eval-client", str(ROOT / "clients/typescript/src/index.ts")))
    done = await asyncio.to_thread(
        subprocess.run, [toolchains.node(), program], capture_output=True, check=True
    )
    assert len(done.stdout.splitlines()) == len(CORE)


async def test_an_address_holds_a_conversation_and_sends_it_to_nobody(page: Page) -> None:
    await judged(page, LOG)
    address = await clipboard(page, "Copy link")
    assert len(address) < 1000
    other = await page.context.browser.new_context()  # type: ignore[union-attr]
    await opened(other, address)
    await judged(page, {**LOG, "messages": [*LOG["messages"], {"role": "user", "content": "x" * 8192}]})
    await expect(page.get_by_text("too long for a link (8 KB)")).to_be_visible()


async def opened(context: BrowserContext, address: str) -> None:
    page = await context.new_page()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url + str(request.headers.get("referer"))))
    await page.goto(address)
    await expect(page.get_by_role("status").first).to_contain_text(f"{VERDICTS} on sea")
    await expect(page.locator(".transcript")).to_contain_text("It's urgent")
    assert sent
    assert not [url for url in sent if "log=" in url.removeprefix(address)]
    await page.goto(f"{address[:-20]}AAAA")
    await page.reload()
    await expect(page.get_by_role("heading", name="Judge a conversation")).to_be_visible()
    await context.close()
