"""Harper beside the embedded judge."""

from importlib import metadata

import pytest

from service.catalogue.catalogue import Catalogue
from service.domain.completion import Call
from service.domain.conversation import Item
from service.domain.rubric import Factor
from service.domain.verdict import NotAssessable, Scored
from service.errors import ConfigurationError
from service.factors import load_factors
from service.judges import proofreading
from service.judges.embedded import EmbeddedJudge, evaluator_revision
from service.judges.inquiry import Case, Inquiry
from service.judges.proofreading import Proofreader, is_misspelt
from tests.unit.judges.embedded.conftest import log_of

GRAMMAR: Factor = load_factors()["grammatical-correctness"]
HARPER = f"Harper (harper-py {metadata.version('harper-py')})"


@pytest.fixture(scope="module")
def linter() -> Proofreader:
    """One for all tests: making one takes a second."""
    return Proofreader()


async def grammar(checker: Proofreader | None, *replies: str, items: tuple[Item, ...] = ()) -> Scored:
    script = [line for reply in replies for line in ("U: What do you suggest?", f"A: {reply}")]
    case = Case(log_of(script), Catalogue.over(items, None) if items else None)
    async for verdict in EmbeddedJudge(checker).ask(Inquiry(case, (GRAMMAR,)), Call()):
        assert isinstance(verdict, Scored)
        return verdict
    raise AssertionError("no verdict")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("I have a wondreful comedy for you.", [("wondreful", "spelling")]),
        ("He go to the sea with a uncle.", [("go", "agreement"), ("a", "article")]),
        ("Did you saw it? You could of asked.", [("saw", "verb"), ("could of", "verb")]),
        ("It is even more better then the first.", [("more better", "comparison"), ("then", "words")]),
        ("😀😀 It is a wondreful one.", [("wondreful", "spelling")]),
        ("i think james and netflix are ok, dont you? it has a nice storyline , hehe", []),
        ("My favourite colour; the theatres organise a cancelled programme.", []),
        ("See films.example/wondreful or ask @wondreful, #wondreful, &wondreful;", []),
        ("", []),
    ],
)
async def test_harper_finds_obvious_errors_only(
    linter: Proofreader, text: str, wrong: list[tuple[str, str]]
) -> None:
    (errors,) = (await linter.read([text])).errors
    assert [(error.of(text), error.kind) for error in errors] == wrong


async def test_harper_reads_beside_the_rules(linter: Proofreader) -> None:
    reply = "Winter Orchard (2011) has a wondreful ending. It is a interesting film."
    alone, helped = await grammar(None, reply), await grammar(linter, reply)
    assert helped.score < alone.score < 4  # the article is known to both, and counts once
    assert [HARPER in flag.detail for flag in helped.flags if flag.code == "grammar_checker"] == [True]
    assert alone.evaluator_revision == evaluator_revision(GRAMMAR)
    assert helped.evaluator_revision == evaluator_revision(GRAMMAR, HARPER) != alone.evaluator_revision


async def test_names_are_right_as_they_stand(linter: Proofreader) -> None:
    reply = "You may like Wondreful (1999) tonight."
    named = await grammar(linter, reply, items=(Item("Wondreful (1999)"),))
    assert (await grammar(linter, "You may like a wondreful film tonight.")).score < named.score
    quoted = await grammar(linter, 'You may like the "wondreful" film tonight.')
    assert quoted.score > 3.5


async def test_another_language_is_not_read(linter: Proofreader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linter, "read", None)
    reply = "Ich empfehle dir einen ruhigen Film über zwei Schwestern, die am Meer wohnen und nicht miteinander reden."
    case = Case(log_of(["U: Welchen Film soll ich heute Abend mit meiner Familie sehen?", f"A: {reply}"]))
    (verdict,) = [v async for v in EmbeddedJudge(linter).ask(Inquiry(case, (GRAMMAR,)), Call())]
    assert isinstance(verdict, NotAssessable)
    assert verdict.code == "unsupported_language"


def test_harper_that_is_not_installed_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofreading, "_HARPER_PACKAGE", "no-such-package")
    with pytest.raises(ConfigurationError, match=r"crs-eval\[grammar\]"):
        Proofreader()


@pytest.mark.parametrize(
    ("word", "near", "wrong"),
    [
        ("wondreful", ["wonderful"], True),
        ("netflix", ["Netflix"], False),
        ("pokemon", ["Pokémon"], False),
        ("theyre", ["they're", "there"], False),
        ("honour", ["honor", "honours"], False),
        ("sarandon", ["abandon"], False),
        ("sooooo", ["soooo"], False),
        ("storyline", ["storylines"], False),
        ("tehn", ["then"], False),
    ],
)
def test_a_word_is_misspelt_only_where_a_near_one_is_meant(word: str, near: list[str], wrong: bool) -> None:
    assert is_misspelt(f"say {word} now", 4, 4 + len(word), near) is wrong
