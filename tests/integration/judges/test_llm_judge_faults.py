"""Every way in which a provider misbehaves ends in the verdict that is documented for it, in time; none
is ever a score, and nothing unusable is kept."""

import json
import time

import pytest

from service.domain.verdict import Failed, Scored
from service.judges.evaluation import EvaluationRequest
from service.llm.failures import UPSTREAM_CODES
from tests.integration.judges.conftest import CORE, Judges, judge_input, verdicts
from tests.patience import PATIENCE
from tests.provider.behaviours import (
    Answer,
    Behaviour,
    CutJSON,
    Declined,
    Hang,
    Status,
    Truncated,
    unknown_model,
)
from tests.provider.server import ProviderServer


def said(score: object = 3, **fields: object) -> str:
    plain = {"rationale": "It fits.", "evidence": [], "score": score}
    return json.dumps(plain | fields)


FAULTS: list[tuple[Behaviour, str]] = [
    (Status(503), "upstream_unavailable"),
    (Status(401), "upstream_unauthorized"),
    (unknown_model(), "unknown_model"),
    (Hang(), "upstream_timeout"),
    (CutJSON(), "unreadable"),
    (Answer(said(7)), "unreadable"),
    (Truncated(), "truncated"),
    (Declined(), "refused"),
]


@pytest.mark.parametrize(("behaviour", "code"), FAULTS, ids=lambda part: str(part)[:50])
async def test_a_fault_is_the_verdict_documented_for_it_in_time(
    judges: Judges, provider: ProviderServer, behaviour: Behaviour, code: str
) -> None:
    provider.default = behaviour
    # A model that is asked in words: what it says comes back as it said it.
    judge = judges.get("local:deepseek-r1")
    # An answer that never ends waits for the deadline, and a passing fault is retried until it is near; all else has time enough
    # on a busy machine, too.
    seconds = 2 if code == "upstream_timeout" else 6 if code.startswith("upstream") else 30
    began = time.perf_counter()
    verdict = (await verdicts(judge, EvaluationRequest(judge_input(), CORE[:1]), seconds))["coherence"]
    assert time.perf_counter() - began < seconds + PATIENCE
    assert isinstance(verdict, Failed)
    assert verdict.code == code, verdict.detail
    assert judges.stack.store.stats()["entries"] == 0
    assert (code in UPSTREAM_CODES) == (code.startswith("upstream") or code == "unknown_model")


async def test_one_repair_and_what_it_cost(judges: Judges, provider: ProviderServer) -> None:
    provider.behave(Answer("I would give it a 3."), Answer(said(2)))
    judge = judges.get("local:deepseek-r1")
    verdict = (await verdicts(judge, EvaluationRequest(judge_input(), CORE[:1])))["coherence"]
    assert isinstance(verdict, Scored)
    assert (verdict.score, provider.calls) == (2, 2)
    assert "repaired" in {flag.code for flag in verdict.flags}
    sent = [request.payload["messages"] for request in provider.received]
    assert [message["role"] for message in sent[1]] == ["system", "user", "assistant", "user"]
    assert sent[1][2]["content"] == "I would give it a 3."
    assert "it holds no JSON object" in sent[1][3]["content"]
    assert verdict.usage.output_tokens == len("I would give it a 3.") // 4 + 1 + len(said(2)) // 4 + 1
    assert judges.stack.store.stats()["entries"] == 1
