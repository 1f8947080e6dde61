"""`crs-eval score --provider-batch` against both batch APIs: killed, taken up again, with entries that fail."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.forked import crs_eval, environment, exits
from tests.integration.test_command_line import log, read
from tests.patience import PATIENCE
from tests.provider.behaviours import Answer, Behaviour, Hang, Payload, Status
from tests.provider.server import ProviderServer
from tests.provider.speech import prompt_of

MODELS = {"openai": "openai:gpt-4o-mini", "anthropic": "anthropic:claude-sonnet-4-5"}


def settings_of(protocol: str, provider: ProviderServer) -> dict[str, str]:
    address = provider.openai_url if protocol == "openai" else provider.url
    return {f"CRS_EVAL_{protocol.upper()}_BASE_URL": address, f"{protocol.upper()}_API_KEY": "local"}


def command(protocol: str, *more: str) -> tuple[str, ...]:
    asked = ("score", "logs.jsonl", "--judge", MODELS[protocol], "--factors", "coherence,naturalness")
    return (*asked, "--provider-batch", "-o", "r.jsonl", *more)


def write_logs(folder: Path, number: int) -> None:
    logs = [log(one) for one in range(number)]
    for one in logs:  # no two are equal
        one["messages"][0]["content"] += f" I am number {one['id']}."
    (folder / "logs.jsonl").write_text("".join(json.dumps(one) + "\n" for one in logs))


def verdicts_in(path: Path) -> list[dict[str, Any]]:
    return [verdict for record in read(path) for verdict in record["answer"]["verdicts"]]


def unreadable_at_first(payload: Payload) -> Behaviour:
    """One log in ten gets an answer that nobody can read, until it is asked for a better one."""
    text = prompt_of(payload)
    return Answer("I would rather not say.") if "0." in text and "rather not say" not in text else Answer()


@pytest.mark.parametrize(("protocol", "number"), [("openai", 200), ("anthropic", 20)])
def test_a_killed_run_pays_for_no_prompt_twice(
    tmp_path: Path, provider: ProviderServer, protocol: str, number: int
) -> None:
    write_logs(tmp_path, number)
    provider.default = unreadable_at_first
    settings = settings_of(protocol, provider)

    def killed_when(moment: str) -> None:
        reached, gone = threading.Event(), threading.Event()

        def stop_here() -> None:
            reached.set()
            gone.wait(PATIENCE)

        setattr(provider.desk, moment, stop_here)
        set_up = environment(**settings)
        with forked.Process(forked.COMMAND_LINE, command(protocol), env=set_up, cwd=tmp_path) as run:
            assert reached.wait(PATIENCE)
            run.kill()
            run.wait(PATIENCE)
        setattr(provider.desk, moment, lambda: None)
        gone.set()

    killed_when("created")  # the provider has the batch, and the run does not know
    killed_when("looked")
    exits(0, *command(protocol), cwd=tmp_path, **settings)
    assert set(provider.desk.paid.values()) == {1}
    assert len(provider.desk.batches) == 2, "the second batch holds the repairs"
    verdicts = verdicts_in(tmp_path / "r.jsonl")
    assert len(verdicts) == 2 * number
    assert {verdict["status"] for verdict in verdicts} == {"scored"}
    repaired = [verdict for verdict in verdicts if "repaired" in {flag["code"] for flag in verdict["flags"]}]
    assert len(repaired) == len(provider.desk.batches["batch_1"].prompts) > 0
    assert not (tmp_path / "r.jsonl.batch").exists()
    # The answers have the keys of ordinary calls.
    plain = [word for word in command(protocol, "--fresh") if word != "--provider-batch"]
    exits(0, *plain, cwd=tmp_path, **settings, CRS_EVAL_CACHE_FILE="r.jsonl.answers")
    assert provider.calls == 0


@pytest.mark.parametrize("protocol", MODELS)
def test_entries_that_fail_are_told_and_asked_for_again(
    tmp_path: Path, provider: ProviderServer, protocol: str
) -> None:
    write_logs(tmp_path, 3)

    def failing(payload: Payload) -> Behaviour:
        text = prompt_of(payload)
        if "session-0001" in text:
            return Hang()
        return Status(429, "Slow down") if "session-0002" in text else Answer()

    provider.default = failing
    settings = settings_of(protocol, provider)
    done = exits(4, *command(protocol), cwd=tmp_path, **settings)
    assert "2 answers, 4 failures" in " ".join(done.stderr.split())
    codes = [(verdict["reason"] or {}).get("code") for verdict in verdicts_in(tmp_path / "r.jsonl")]
    assert codes == [None, None, *["batch_failed"] * 4]
    provider.default = Answer()
    exits(0, *command(protocol), cwd=tmp_path, **settings)
    assert sorted(provider.desk.paid.values()) == [1, 1, 2, 2, 2, 2]


@pytest.mark.parametrize("protocol", MODELS)
def test_results_that_break_off_are_fetched_again(
    tmp_path: Path, provider: ProviderServer, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_logs(tmp_path, 2)
    settings, answer = settings_of(protocol, provider), provider.desk.answer

    def broken(url: str, path: str, body: bytes) -> bytes:
        whole = answer(url, path, body)
        return whole[:-20] if path.endswith(("-out/content", "/results")) else whole

    with monkeypatch.context() as patched:
        patched.setattr(provider.desk, "answer", broken)
        done = crs_eval(*command(protocol), cwd=tmp_path, **settings)
    assert done.returncode == 4
    assert "results is damaged or incomplete. Run the same command again" in " ".join(done.stderr.split())
    exits(0, *command(protocol), cwd=tmp_path, **settings)
    assert set(provider.desk.paid.values()) == {1}


def test_a_provider_that_takes_no_batch_is_told(tmp_path: Path, provider: ProviderServer) -> None:
    write_logs(tmp_path, 1)
    settings = settings_of("openai", provider) | {"CRS_EVAL_OPENAI_BASE_URL": f"{provider.url}/other"}
    provider.default = Status(404, "There is no such path")
    done = exits(4, *command("openai"), cwd=tmp_path, **settings)
    assert "There is no such path. Run the same command again" in " ".join(done.stderr.split())
    for option in ("--url", "http://127.0.0.1:1"), ("--max-cost", "1"), ("--cache", "off"):
        refused = exits(2, *command("openai", *option), cwd=tmp_path, **settings)
        assert f"cannot be combined with {option[0]}" in " ".join(refused.stderr.split())
