"""The service as a process with a checker beside the embedded judge: what callers see of it."""

import httpx2

from tests.patience import PATIENCE
from tools.service_process import running_service

REPLY = "How about The Quiet Harbour (1999)? It is a wondreful film about two sisters."
BODY = {
    "log": {
        "messages": [
            {"role": "user", "content": "A calm film by the sea, please."},
            {"role": "assistant", "content": REPLY},
        ]
    }
}


def _grammar(url: str) -> tuple[float, dict[str, str], str]:
    answer = httpx2.post(f"{url}/score/grammatical-correctness", json=BODY, timeout=PATIENCE).json()
    return (
        answer["score"],
        {flag["code"]: flag["detail"] for flag in answer["flags"]},
        answer["evaluator_revision"],
    )


def test_answers_say_which_checker_was_in_force() -> None:
    with running_service({}) as url:
        alone = _grammar(url)
    with running_service({"GRAMMAR_CHECKER": "harper"}) as url:
        harper = _grammar(url)
        others = [
            httpx2.post(f"{url}{route}", json=BODY, timeout=PATIENCE).text for route in ("/score", "/debate")
        ]
    assert harper[0] < alone[0]
    assert "grammar_checker" not in alone[1]
    assert harper[1]["grammar_checker"].startswith("Harper (harper-py ")
    assert alone[2] != harper[2]
    assert all("harper-py" in answer for answer in others)
