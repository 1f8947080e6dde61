"""Every way of asking a model, against a real server: llama.cpp with SmolLM2-135M. So small a model judges badly; what holds is
that each way ends in documented answers, and never in a failure of the protocol. `make test-model` prints a table of them, and
`make test-model-table` writes it into docs/language-models.md."""

import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.llm.failures import UPSTREAM_CODES
from service.main import read_settings
from tools.service_process import free_port

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".cache" / "model" / "bin" / "python"
CONTEXT = 4096
MODEL = "llama:smollm2-135m-instruct"
# The same server speaks Anthropic's Messages, without schemas.
BY_MESSAGES = "anthropic:smollm2-135m-instruct"
PATIENCE = 180
# Without the penalty so small a model repeats itself until it is cut off, which takes most of the time.
STATED = f"""["llama:*"]
context_tokens = {CONTEXT}
limit = "max_tokens"
extra = {{ repeat_penalty = 1.2 }}

["anthropic:*"]
context_tokens = {CONTEXT}
reasoning = false
format = "text"
extra = {{ repeat_penalty = 1.2 }}
"""
SAID = (
    ("user", "A calm film for tonight, please. Nothing with war."),
    ("assistant", "Paper Lanterns (2004) is a slow drama about two sisters by a lake."),
)
LOG: dict[str, Any] = {
    "domain": "movie",
    "messages": [{"role": role, "content": text} for role, text in SAID],
    "ground_truth": ["Paper Lanterns (2004)"],
    "user": {
        "persona": "curiosity",
        "age_group": "adults",
        "attributes": ["calm"],
        "preferences": "Calm films.",
    },
}
LOG["messages"][1]["recommendations"] = ["Paper Lanterns (2004)", "The Tin Parade (1999)"]
ROLES = [{"name": one} for one in ("common-user", "linguist", "hci-expert")]
ONE, TWO = ["coherence"], ["coherence", "naturalness"]
PAGE = ROOT / "docs" / "language-models.md"
BEGIN, END = "<!-- real model: begin -->\n", "<!-- real model: end -->"
ROWS = [
    "| way of asking | outcome | seconds | tokens: input, cached, output |",
    "| --- | --- | ---: | ---: |",
]

pytestmark = pytest.mark.skipif(not PYTHON.exists(), reason="`make test-model` makes the environment")


class LlamaServer:
    """llama.cpp's server as a process, which can be ended and started again on its port."""

    def __init__(self) -> None:
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [
            PYTHON,
            ROOT / "tests/real_model/llama_server.py",
            "--port",
            self.port,
            "--context",
            CONTEXT,
        ]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.PIPE, stdout=quiet, stderr=quiet
        )
        deadline = time.monotonic() + PATIENCE
        while not self._is_ready():
            assert self._process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.2)

    def stop(self) -> None:
        assert self._process is not None
        with self._process:
            self._process.kill()

    def _is_ready(self) -> bool:
        try:
            return httpx2.get(f"http://127.0.0.1:{self.port}/health", timeout=2).status_code == 200
        except httpx2.TransportError:
            return False


@pytest.fixture(scope="module")
def llama() -> Iterator[LlamaServer]:
    server = LlamaServer()
    server.start()
    yield server
    server.stop()
    table = "\n".join(ROWS)
    print(f"\n{table}")
    if os.environ.get("WRITE_TABLE"):
        before, rest = PAGE.read_text().split(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{table}\n\n{END}{rest.split(END)[1]}")


@pytest.fixture(scope="module")
def client(llama: LlamaServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    stated = tmp_path_factory.mktemp("models") / "models.toml"
    stated.write_text(STATED)
    settings = read_settings(
        {
            "CRS_EVAL_UPSTREAM_LLAMA": f"http://127.0.0.1:{llama.port}/v1",
            "CRS_EVAL_CONCURRENCY_LLAMA": "1",
            "CRS_EVAL_ANTHROPIC_BASE_URL": f"http://127.0.0.1:{llama.port}",
            "CRS_EVAL_MODELS": str(stated),
            "CRS_EVAL_JUDGES": "builtin,llama:*,anthropic:*",
            "CRS_EVAL_RATIONALE_TOKENS": "50",
            "CRS_EVAL_REQUEST_TIMEOUT": "600",
            "CRS_EVAL_WORKERS": "0",
        }
    )
    with TestClient(create_app(settings), raise_server_exceptions=False) as service:
        yield service


def verdicts_of(answer: dict[str, Any]) -> list[dict[str, Any]]:
    found = [*(answer.get("verdicts") or ()), *([answer["verdict"]] if "verdict" in answer else [])]
    return [member for verdict in found for member in (verdict.get("panel") or [verdict])]


def codes_of(answer: dict[str, Any]) -> Counter[str]:
    """Count the outcomes of verdicts, preferences or statements in an answer: `ok`, or the code of the reason."""
    debated = [one for held in answer.get("rounds", ()) for one in held["statements"]]
    compared = [*answer["preferences"], answer["overall"]] if "preferences" in answer else []
    if parts := debated or compared or verdicts_of(answer):
        return Counter((one["reason"] or {"code": "ok"})["code"] for one in parts)
    # A session says how it ended, and a problem has a title.
    return Counter([answer.get("outcome") or answer.get("title") or "ok"])


def report(name: str, began: float, answer: dict[str, Any]) -> Counter[str]:
    """Add a row to the table, and assert that the server caused no failure. Returns the outcomes."""
    codes, usage = codes_of(answer), answer.get("usage") or {}
    tokens = [usage.get(key, 0) for key in ("input_tokens", "cached_input_tokens", "output_tokens")]
    outcomes = ", ".join(f"{code} ({count})" if count > 1 else code for code, count in codes.items())
    seconds = time.monotonic() - began
    ROWS.append(f"| {name} | {outcomes} | {seconds:.0f} | {', '.join(f'{one:,}' for one in tokens)} |")
    print(ROWS[-1], flush=True)
    assert not set(codes) & UPSTREAM_CODES, answer
    return codes


# An answer that was had before comes from the cache; one that nobody could read is asked for again.
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "rating": ("/score", {"factors": ONE}),
    "rating, by Anthropic's Messages": ("/score", {"factors": ONE, "judge": BY_MESSAGES}),
    "one factor": ("/score/coherence", {}),
    "a panel with `builtin`": ("/score", {"factors": ONE, "judge": None, "panel": [MODEL, "builtin"]}),
    "rating, two factors in a call": ("/score", {"factors": TWO, "grouping": "all"}),
    "`variant: published`": ("/score", {"factors": ONE, "variant": "published"}),
    "itemised": ("/score", {"factors": ONE, "judging": "itemised"}),
    "faults": ("/score", {"factors": ["naturalness"], "judging": "faults"}),
    "two samples": ("/score", {"factors": ONE, "samples": 2}),
    "expected": ("/score", {"factors": ONE, "expected": True}),
}


@pytest.mark.parametrize("name", WAYS)
def test_each_way_of_judging_ends_in_verdicts(client: TestClient, name: str) -> None:
    path, options = WAYS[name]
    body = {
        key: value for key, value in ({"log": LOG, "judge": MODEL} | options).items() if value is not None
    }
    began = time.monotonic()
    response = client.post(path, json=body)
    assert response.status_code == 200, response.text
    answer = response.json()
    # `/score/{factor}` answers with the verdict itself.
    answer = answer if "verdicts" in answer else {"verdicts": [answer], "usage": answer["usage"]}
    report(name, began, answer)
    assert answer["verdicts"]
    for verdict in verdicts_of(answer):
        assert "other_model" not in {flag["code"] for flag in verdict["flags"]}


def test_a_debate_ends_in_a_score_or_says_why(client: TestClient) -> None:
    began = time.monotonic()
    scored = client.post("/score", json={"log": LOG, "factors": TWO, "judge": "builtin"}).json()["verdicts"]
    body = {"log": LOG, "verdicts": scored, "judge": MODEL, "max_rounds": 1, "evidence": "faults"}
    response = client.post("/debate", json=body | {"roles": ROLES})
    report("a debate of three roles, one round, `evidence: faults`", began, response.json())
    assert response.status_code in {200, 502}, response.text
    assert response.json()["usage"]["input_tokens"] > 0


def test_a_comparison_and_an_alignment_end(client: TestClient) -> None:
    other = LOG | {"messages": [LOG["messages"][0], {"role": "assistant", "content": "Great, enjoy it!"}]}
    began = time.monotonic()
    pair = {"first": LOG, "second": other, "factors": ONE, "judge": MODEL, "swap": False}
    response = client.post("/compare", json=pair)
    assert response.status_code in {200, 502}, response.text
    report("a comparison, one order", began, response.json())
    began = time.monotonic()
    replies = {"candidate": "You should watch Paper Lanterns.", "reference": "What did you like about it?"}
    response = client.post("/behavior-alignment", json={"method": "llm", "pairs": [replies], "judge": MODEL})
    assert response.status_code in {200, 502}, response.text
    report("behaviour alignment", began, response.json())


@pytest.mark.parametrize("kind", ["target", "persona", "target-free"])
def test_a_simulated_user_speaks_or_ends_with_a_reason(client: TestClient, kind: str) -> None:
    began = time.monotonic()
    body = {"simulator": {"type": kind, "judge": MODEL, "seed": 7}, "log": LOG}
    response = client.post("/simulate", json=body)
    answer = response.json()
    report(f"a simulated user, `{kind}`", began, answer)
    assert response.status_code in {200, 502}, response.text
    assert answer.get("message") or answer.get("done") or answer["detail"]


def test_a_log_beyond_the_context_is_refused_at_once(client: TestClient) -> None:
    long = {"role": "user", "content": "Something calm, and then something else. " * 600}
    began = time.monotonic()
    body = {"log": LOG | {"messages": [long, *LOG["messages"]]}, "factors": TWO, "judge": MODEL}
    answer = client.post("/score", json=body).json()
    assert set(report("a log beyond the context", began, answer)) == {"context_too_long"}
    assert answer["usage"]["input_tokens"] == 0


def test_a_server_that_restarts_is_found_again(client: TestClient, llama: LlamaServer) -> None:
    llama.stop()
    llama.start()
    began = time.monotonic()
    body = {"log": LOG, "factors": ONE, "judge": MODEL, "cache": "off"}
    report("rating, after a restart", began, client.post("/score", json=body).json())
