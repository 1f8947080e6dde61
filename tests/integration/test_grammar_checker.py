"""The service as a process with a checker beside the embedded judge: what callers see of it."""

import httpx2
import pytest

from tests.language_tool_server import LanguageToolServer
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
    with LanguageToolServer() as server:
        with running_service({}) as url:
            alone = _grammar(url)
        with running_service({"GRAMMAR_CHECKER": "harper"}) as url:
            harper = _grammar(url)
        with running_service({"GRAMMAR_CHECKER": server.url}) as url:
            server.status = 503
            failed = _grammar(url)
            server.status = 200
            language_tool = _grammar(url)  # the same body: the answer before was not kept
    assert max(harper[0], language_tool[0]) < alone[0] == failed[0]
    assert not any(code.startswith("grammar_checker") for code in alone[1])
    assert harper[1]["grammar_checker"].startswith("Harper (harper-py ")
    assert language_tool[1]["grammar_checker"].startswith("LanguageTool 6.6 ")
    assert "status 503" in failed[1]["grammar_checker_failed"]
    assert len({alone[2], harper[2], language_tool[2]}) == 3
    assert failed[2] == alone[2]
    assert [asked["text"] for asked in server.asked] == [[REPLY]] * 2


@pytest.mark.parametrize("route", ["/score", "/debate"])
def test_the_other_routes_name_it_too(route: str) -> None:
    with running_service({"GRAMMAR_CHECKER": "harper"}) as url:
        answer = httpx2.post(f"{url}{route}", json=BODY, timeout=PATIENCE).text
    assert "harper-py" in answer
