"""Logs in other languages than the embedded judge reads: one warning about the log beside its refusals."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.posting import answered
from tests.factories import in_turns

GERMAN = {
    "messages": [
        {"role": "user", "content": "Hallo, ich suche einen ruhigen Film für den Abend, der nicht zu lang ist."},
        {
            "role": "assistant",
            "content": "Wie wäre es mit diesem hier? Er ist sehr ruhig und dauert nicht lange.",
            "recommendations": ["Harbour Lights (1998)"],
        },
        {"role": "user", "content": "Das klingt gut, den werde ich mir heute ansehen. Vielen Dank und bis bald!"},
        {"role": "assistant", "content": "Gern geschehen, und viel Freude mit dem Film am Abend."},
    ],
    "ground_truth": ["Harbour Lights (1998)"],
}  # fmt: skip
ENGLISH = {
    "messages": in_turns(
        "A quiet film for tonight, please, and not too long a one.",
        "Try Harbour Lights (1998): it is slow, and set by the sea.",
    )
}


def post(client: TestClient, path: str, log: dict[str, Any]) -> dict[str, Any]:
    return answered(client, path=path, log=log, catalog="films")


@pytest.mark.parametrize("path", ["/score", "/debate", "/evaluate"])
def test_one_warning_speaks_of_the_language(client: TestClient, path: str) -> None:
    answer = post(client, path, GERMAN)
    refused = [v for v in answer["verdicts"] if (v["reason"] or {}).get("code") == "unsupported_language"]
    assert len(refused) > 5
    [warning] = [warning for warning in answer["warnings"] if warning["code"] == "language"]
    assert f"{len(refused)} of {len(answer['verdicts'])} factors" in warning["detail"]
    assert "`judge`" in warning["detail"]


@pytest.mark.parametrize(
    "talk",
    [
        ("Kannst du mir einen Film empfehlen?", "Wie wäre es mit Inception?", "Danke, den nehme ich!"),
        ("你能推荐一部电影吗", "我推荐《盗梦空间》。", "谢谢"),
        ("SF映画を勧めて", "The Matrix (1999) と Inception (2010) がおすすめ", "いいですね"),
        ("هل تنصحني بفيلم؟", "أنصحك بفيلم Inception", "شكرا"),
        # No word of these replies is known, but the user's are.
        ("Bana bir film önerir misin?", "Elbette, Ayla filmini izleyebilirsin.", "Teşekkürler"),
        ("कोई फिल्म बताओ", "3 Idiots देखिए", "धन्यवाद"),
    ],
)
def test_a_short_log_in_another_language_gets_no_score(client: TestClient, talk: tuple[str, ...]) -> None:
    answer = post(client, "/score", {"messages": in_turns(*talk)})
    assert [verdict["factor"] for verdict in answer["verdicts"] if verdict["score"] is not None] == []
    assert "language" in {warning["code"] for warning in answer["warnings"]}


@pytest.mark.parametrize("path", ["/score", "/debate", "/evaluate"])
def test_a_log_in_english_gets_none(client: TestClient, path: str) -> None:
    assert "language" not in {warning["code"] for warning in post(client, path, ENGLISH)["warnings"]}
