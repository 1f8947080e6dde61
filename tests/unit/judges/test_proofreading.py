"""Harper itself, and a LanguageTool server that answers well, late, wrongly or not at all."""

import json
from collections.abc import AsyncIterator, Iterator
from importlib import metadata
from typing import Any

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
from service.judges.proofreader import Proofreader, ProofreadingFailed
from service.judges.proofreading import HarperProofreader, LanguageToolProofreader, is_misspelt, proofreader
from tests.language_tool_server import LanguageToolServer
from tests.unit.judges.embedded.conftest import log_of

GRAMMAR: Factor = load_factors()["grammatical-correctness"]
HARPER = f"Harper (harper-py {metadata.version('harper-py')})"


VERSION = "LanguageTool 6.6"


@pytest.fixture(scope="module")
def linter() -> HarperProofreader:
    """One for all tests: making one takes a second."""
    return HarperProofreader()


@pytest.fixture
def server() -> Iterator[LanguageToolServer]:
    with LanguageToolServer() as running:
        yield running


@pytest.fixture
async def language_tool(server: LanguageToolServer) -> AsyncIterator[LanguageToolProofreader]:
    checker = LanguageToolProofreader(server.url)
    yield checker
    await checker.aclose()


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
    linter: HarperProofreader, text: str, wrong: list[tuple[str, str]]
) -> None:
    (errors,) = (await linter.read([text])).errors
    assert [(error.of(text), error.kind) for error in errors] == wrong


async def test_harper_reads_beside_the_rules(linter: HarperProofreader) -> None:
    reply = "Winter Orchard (2011) has a wondreful ending. It is a interesting film."
    alone, helped = await grammar(None, reply), await grammar(linter, reply)
    assert helped.score < alone.score < 4  # the article is known to both, and counts once
    assert [HARPER in flag.detail for flag in helped.flags if flag.code == "grammar_checker"] == [True]
    assert alone.evaluator_revision == evaluator_revision(GRAMMAR)
    assert helped.evaluator_revision == evaluator_revision(GRAMMAR, HARPER) != alone.evaluator_revision


async def test_names_are_right_as_they_stand(linter: HarperProofreader) -> None:
    reply = "You may like Wondreful (1999) tonight."
    named = await grammar(linter, reply, items=(Item("Wondreful (1999)"),))
    assert (await grammar(linter, "You may like a wondreful film tonight.")).score < named.score
    quoted = await grammar(linter, 'You may like the "wondreful" film tonight.')
    assert quoted.score > 3.5


async def test_what_was_not_read_is_told(linter: HarperProofreader) -> None:
    long = " ".join(f"Film {number} is about a quiet sea." for number in range(200))
    verdict = await grammar(linter, long, *["Another film about the sea."] * 3)
    assert any("4081 characters" in flag.detail for flag in verdict.flags)


async def test_another_language_is_sent_nowhere(
    server: LanguageToolServer, language_tool: LanguageToolProofreader
) -> None:
    reply = "Ich empfehle dir einen ruhigen Film über zwei Schwestern, die am Meer wohnen und nicht miteinander reden."
    case = Case(log_of(["U: Welchen Film soll ich heute Abend mit meiner Familie sehen?", f"A: {reply}"]))
    (verdict,) = [v async for v in EmbeddedJudge(language_tool).ask(Inquiry(case, (GRAMMAR,)), Call())]
    assert isinstance(verdict, NotAssessable)
    assert verdict.code == "unsupported_language"
    assert not server.asked


def test_harper_that_is_not_installed_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proofreader(None) is None
    monkeypatch.setattr(proofreading, "_HARPER_PACKAGE", "no-such-package")
    with pytest.raises(ConfigurationError, match=r"crs-eval\[grammar\]"):
        proofreader("harper")


async def test_language_tool_finds_errors(
    server: LanguageToolServer, language_tool: LanguageToolProofreader
) -> None:
    texts = ["😀 A wondreful film  by the sea.", "Orchrad is nice.", "It makes me laughing, a wondreful one."]
    found = await language_tool.read(texts)
    slip = ("wondreful", "spelling")
    for text, errors, wrong in zip(
        texts, found.errors, ([slip], [], [("makes me laughing", "form"), slip]), strict=True
    ):
        assert [(error.of(text), error.kind) for error in errors] == wrong
    assert found.checker == VERSION
    assert server.asked == [{"path": ["/v2/check"], "text": ["\n\n".join(texts)], "language": ["en-US"]}]
    verdict = await grammar(language_tool, texts[2])
    assert verdict.score < (await grammar(None, texts[2])).score
    assert verdict.evaluator_revision == evaluator_revision(GRAMMAR, VERSION)
    # A match beyond the text is left out.
    server.body = json.dumps(FINE | {"matches": [ODD]}).encode()
    assert (await language_tool.read(["A short one.", "And another."])).errors == ((), ())


FINE: dict[str, Any] = {"software": {"name": "LanguageTool", "version": "6.6"}, "matches": []}
ODD = {"offset": 5, "length": 900, "replacements": [{"value": "x"}], "rule": {"category": {"id": "GRAMMAR"}}}


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (500, b"{}", "status 500"),
        (302, b"", "status 302"),
        (200, b"<html>", "cannot be read"),
        (200, b"{}", "cannot be read"),
        (200, json.dumps(FINE | {"matches": [{"offset": -1}]}).encode(), "cannot be read"),
    ],
)
async def test_a_server_that_fails_costs_no_answer(
    server: LanguageToolServer, language_tool: LanguageToolProofreader, status: int, body: bytes, why: str
) -> None:
    server.status, server.body = status, body
    verdict = await grammar(language_tool, "It is a interesting film.")
    [flag] = [flag for flag in verdict.flags if flag.code == "grammar_checker_failed"]
    assert why in flag.detail
    assert verdict.evaluator_revision == evaluator_revision(GRAMMAR)


async def test_a_server_that_hangs_or_is_away(
    server: LanguageToolServer, language_tool: LanguageToolProofreader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proofreading, "SECONDS", 0.05)
    server.delay = 1
    with pytest.raises(ProofreadingFailed, match="in time"):
        await language_tool.read(["A film."])
    away = LanguageToolProofreader("http://127.0.0.1:9")
    with pytest.raises(ProofreadingFailed, match="cannot be reached"):
        await away.read(["A film."])
    await away.aclose()


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
