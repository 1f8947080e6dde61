import pytest

from service.judges.embedded.observations.content.claims import Claim, ClaimKind, find_claims
from service.text.words import Span


def _claims(text: str, *titles: str) -> list[Claim]:
    return find_claims(
        text, [Span(text.index(title), text.index(title) + len(title), "title") for title in titles]
    )


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("Copper Canyon is a horror movie.", ClaimKind.KIND, "horror"),
        ("Copper Canyon was directed by Ada Lindqvist.", ClaimKind.DIRECTOR, "ada lindqvist"),
        ("Copper Canyon, written by Ada Lindqvist, is fine.", ClaimKind.AUTHOR, "ada lindqvist"),
        ("Copper Canyon was released in 1987.", ClaimKind.YEAR, "1987"),
        ("I saw Copper Canyon. It was released in 1987.", ClaimKind.YEAR, "1987"),
    ],
)
def test_claims_belong_to_their_title(text: str, kind: ClaimKind, value: str) -> None:
    (claim,) = _claims(text, "Copper Canyon")
    assert (claim.subject, claim.kind, claim.values) == (0, kind, frozenset({value}))


@pytest.mark.parametrize(
    "text",
    [
        "Is Copper Canyon a horror movie?",
        "Copper Canyon is not a horror movie.",
        "If you like horror, Copper Canyon is good.",
        "Copper Canyon is good if you like horror.",
        "I like horror.",
    ],
)
def test_questions_hedges_and_denials_claim_nothing(text: str) -> None:
    titles = ["Copper Canyon"] if "Copper Canyon" in text else []
    assert _claims(text, *titles) == []
