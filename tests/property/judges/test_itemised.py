"""Lists for itemised verdicts: any list of entries gives exactly one level, more faults never a higher one, and a faulty
answer none."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.domain.conversation import ConversationLog, Message, Role, User
from service.domain.modes import Variant
from service.domain.rubric import Factor, Form, Part
from service.factors import load_factors
from service.judges.evaluation import JudgeInput, ListSource
from service.judges.llm.answer import Failure, RatedAnswer, Unreadable
from service.judges.llm.itemised.entries import Entries, kinds_of, read_entries
from service.judges.llm.itemised.outline import ITEM_FORMS, outline_of
from service.judges.llm.itemised.scoring import score_items
from tests.factories import instance, known

FACTORS = load_factors()
LADDERED = [factor for factor in FACTORS.values() if factor.itemised]
TITLES = tuple(f"Film {letter}" for letter in "ABCDEFGHIJKLMNOPQRST")
REPLY = "Film A and film B are very good, I saw them with you in the dark and Film Z was two hour long."
LOG = ConversationLog(
    messages=tuple(
        Message(Role.ASSISTANT, REPLY, TITLES)
        if at % 2
        else Message(Role.USER, "No, not that one.", thoughts="Hm.")
        for at in range(12)
    ),
    user=User(preferences="Slow films."),
)
CASE = JudgeInput(LOG, list_cutoff=20)
OUTLINE = outline_of(CASE)
WORDS = REPLY.split()


def entry(factor: Factor, chance: random.Random, **fixed: Any) -> dict[str, Any]:
    """An entry that can be read."""
    asked = known(factor.itemised)
    users = asked.form in {Form.OBJECTIONS, Form.NOTES}
    message = chance.randrange(6) * 2 + (not users)
    applies = chance.random() < 0.8
    parts: dict[Part, Any] = {
        Part.NOTE: "a note",
        Part.SOURCE: "general knowledge",
        Part.APPLIES: applies,
        Part.HOLDS: chance.random() < 0.6 and (applies or Part.APPLIES not in asked.keys),
        Part.QUOTE: "not that one" if users else chance.choice(WORDS),
        Part.KIND: chance.choice(kinds_of(asked, "movie") or ("",)),
        Part.ITEM: chance.choice(TITLES[:2] if asked.form is Form.TITLES else TITLES),
        Part.CORRECTED_BY: chance.choice([None, message + 1]),
        Part.CHARACTERISTICS: [
            {"dimension": d, "value": chance.choice("abcdefg")} for d in ("genre", "decade", "director")
        ],
    }
    own = {key.name: parts[part] for part, key in asked.keys.items()}
    return {
        "message": message,
        **own,
        **{asked.keys[Part(k)].name: v for k, v in fixed.items() if k != "message"},
    } | ({"message": fixed["message"]} if "message" in fixed else {})


def whole(factor: Factor, chance: random.Random, number: int) -> list[dict[str, Any]]:
    """A list that leaves out nothing that it has to hold, with some entries more."""
    asked = known(factor.itemised)
    entries = [entry(factor, chance) for _ in range(number)]
    if asked.form is Form.REPLIES:
        entries += [entry(factor, chance, message=at) for at in range(1, 12, 2)]
    if asked.form is Form.NOTES:
        entries += [entry(factor, chance, message=at) for at in range(0, 12, 2)]
    if asked.form in ITEM_FORMS:
        entries += [entry(factor, chance, item=title) for title in TITLES]
    return entries


def read(factor: Factor, entries: list[dict[str, Any]]) -> Entries:
    found = read_entries(json.dumps({"items": entries}), [factor], OUTLINE)[factor.slug]
    assert not isinstance(found, Unreadable), found
    return found.entries


def climbed(factor: Factor, entries: Entries) -> RatedAnswer:
    return instance(RatedAnswer, score_items(entries, factor, CASE, OUTLINE))


BOTH = [factor.read_as(variant) for factor in LADDERED for variant in Variant]


@pytest.mark.parametrize("factor", BOTH, ids=lambda factor: factor.slug)
@given(seed=st.integers(0, 2**32), number=st.integers(0, 12))
@settings(max_examples=30)
def test_any_list_gives_exactly_one_level_and_more_faults_never_a_higher_one(
    factor: Factor, seed: int, number: int
) -> None:
    chance = random.Random(seed)
    listed = whole(factor, chance, number)
    before = climbed(factor, read(factor, listed))
    assert before.score is None or before.score in factor.scale.levels
    assert before.assessable or before.score in {None, factor.no_occasion}
    after = climbed(factor, read(factor, [*listed, worse(factor, chance)]))
    if before.score is not None and after.score is not None:
        assert after.score <= before.score
    for turn in before.turns or ():
        assert turn.score in factor.scale.levels


def worse(factor: Factor, chance: random.Random) -> dict[str, Any]:
    """One fault more: an entry that misses the standard, a fault, an objection left, a title that no list has."""
    asked = known(factor.itemised)
    match asked.form:
        case Form.OBJECTIONS:
            return entry(factor, chance, corrected_by=None)
        case Form.TITLES:
            return entry(factor, chance, item="Film Z")
        case Form.SIMILARITY:
            return entry(factor, chance, kind="not")
        case Form.CHARACTERISTICS:
            return entry(factor, chance, characteristics=[])
        case Form.FAULTS | Form.STRETCHES:
            return entry(factor, chance)
        case _:
            wrong = {"holds": False} | ({"applies": True} if Part.APPLIES in asked.keys else {})
            return entry(factor, chance, **wrong)


def reply_entries(factor: Factor, met: int) -> list[dict[str, Any]]:
    asked = known(factor.itemised)
    chance = random.Random(1)
    notes = asked.form is Form.NOTES
    fixed = {"applies": True} if Part.APPLIES in asked.keys else {}
    return [entry(factor, chance, message=2 * at + (not notes), holds=at < met, **fixed) for at in range(6)]


def every_list(factor: Factor) -> list[list[dict[str, Any]]]:
    """Lists that together climb every rung."""
    asked = known(factor.itemised)
    chance = random.Random(2)

    match asked.form:
        case Form.REPLIES | Form.NOTES:
            return [reply_entries(factor, met) for met in range(7)]
        case Form.FAULTS:
            kinds = kinds_of(asked, "movie") or (None,)
            return [
                [
                    entry(factor, chance, message=1, quote=word, **({"kind": kind} if kind else {}))
                    for word in WORDS[:n]
                ]
                for n in range(6)
                for kind in kinds
            ]
        case Form.STRETCHES:
            quotes = [(at, " ".join(WORDS[:n])) for n in (0, 3, 10, 18) for at in range(1, 12, 2)]
            sets = [[(at, q) for at, q in quotes if len(q.split()) in {n}] for n in (3, 10, 18)]
            full = [(at, REPLY) for at in range(1, 12, 2)]
            return [
                [entry(factor, chance, message=at, quote=q) for at, q in one] for one in ([], *sets, full)
            ]
        case Form.OBJECTIONS:
            return [
                [entry(factor, chance, message=2 * at, corrected_by=None) for at in range(n)]
                for n in range(5)
            ]
        case Form.TITLES:
            named = ["Film A", "film B"]
            lists: list[list[str]] = [[], ["Film Z"], named, ["Film A", "Film Z"], [*named, "Film Z"]]
            return [[entry(factor, chance, message=1, item=title) for title in one] for one in lists] + [
                [entry(factor, chance, message=1, item=title) for title in ("Film A", "good", "very", "dark")]
            ]
        case Form.SIMILARITY:
            mixes = [("wanted", 1), ("very", 11), ("very", 1), ("somewhat", 11), ("somewhat", 1), ("not", 0)]
            return [
                [entry(factor, chance, item=t, kind=kind if at < n else "not") for at, t in enumerate(TITLES)]
                for kind, n in mixes
            ]
        case Form.FAMILIARITY:
            return [
                [entry(factor, chance, item=t, holds=at < n) for at, t in enumerate(TITLES)]
                for n in range(11)
            ]
        case Form.CHARACTERISTICS:
            return [
                [
                    entry(
                        factor,
                        chance,
                        item=t,
                        characteristics=[
                            {"dimension": "genre", "value": str(at % first)},
                            {"dimension": "decade", "value": str(at % second)},
                        ],
                    )
                    for at, t in enumerate(TITLES)
                ]
                for first, second in ((2, 2), (3, 1), (3, 3), (4, 4), (5, 5))
            ]
    return []


@pytest.mark.parametrize("factor", LADDERED, ids=lambda factor: factor.slug)
def test_every_level_is_reached_from_a_list(factor: Factor) -> None:
    reached = {climbed(factor, read(factor, entries)).score for entries in every_list(factor)}
    # A list without an objection gives recoverability no score; lists here leave each objection as it is.
    best = {factor.scale.max} if factor.slug == "recoverability" else set()
    assert reached >= set(factor.scale.levels) - best


def test_faulty_lists_invent_no_score() -> None:
    chance = random.Random(33)
    groups: list[Callable[[Factor, str], str]] = [
        lambda _, text: text[: chance.randrange(1, len(text) - 1)],
        lambda _, text: text + text[: chance.randrange(1, len(text) - 1)],
        lambda f, _: json.dumps({"rationale": "All is well.", "score": f.scale.max}),
        lambda _, text: text.replace('"items"', '"list"'),
        lambda _, __: chance.choice(["", "[]", "null", "{}", '{"items": 3}', '{"items": {}}', "<html>"]),
        lambda f, _: json.dumps({"items": [*whole(f, chance, 1), chance.choice([3, None, "x", [], {}])]}),
        lambda f, _: json.dumps({"items": [*whole(f, chance, 1), _broken(f, chance)]}),
        lambda f, _: json.dumps({"items": [*whole(f, chance, 0), *[entry(f, chance)] * 1001]}),
        lambda _, text: text.replace('"', "'"),
    ]
    texts = {f.slug: [json.dumps({"items": whole(f, chance, 3)}) for _ in range(3)] for f in LADDERED}
    for number in range(1_500):
        factor = LADDERED[number % len(LADDERED)]
        kind = (number // len(LADDERED)) % len(groups)
        # The long ones are costly, and few of them say as much.
        fault = groups[kind if kind != 7 or number < 200 else 6]
        text = fault(factor, chance.choice(texts[factor.slug]))
        assert isinstance(read_entries(text, [factor], OUTLINE)[factor.slug], Unreadable), text[-300:]


def _broken(factor: Factor, chance: random.Random) -> dict[str, Any]:
    """An entry with one part that is missing or of a wrong kind."""
    good = entry(factor, chance)
    asked = known(factor.itemised)
    if asked.form not in ITEM_FORMS and chance.random() < 0.3:
        users = asked.form in {Form.OBJECTIONS, Form.NOTES}
        return good | {"message": chance.choice([None, True, "1", -1, 99, 1 if users else 0])}
    name = chance.choice([key.name for key in asked.keys.values()])
    return good | {name: chance.choice([{"a": 1}, 3.5, [3]])}


def test_invented_quotations_are_dropped_counted_and_too_many_fail() -> None:
    factor = FACTORS["grammatical-correctness"]
    chance = random.Random(5)
    real = [entry(factor, chance, message=1, quote=word) for word in ("very", "hour")]
    invented = [entry(factor, chance, message=1, quote=f"never said {n}") for n in range(3)]
    found = climbed(factor, read(factor, [*real, *invented[:2]]))
    assert found.score == 2
    assert found.counts == {"faults": 2, "quotes_found": 2, "quotes_not_found": 2}
    assert found.confidence == 0.5
    assert [flag.code for flag in found.flags] == ["quote_not_found"]
    assert [evidence.quote for evidence in found.evidence] == ["very", "hour"]
    failed = score_items(read(factor, [*real, *invented]), factor, CASE, OUTLINE)
    assert failed == Failure("quotes_not_found", "3 of 5 quotations do not occur in the interaction")


def test_the_same_slip_twice_counts_twice_where_it_stands_twice() -> None:
    factor = FACTORS["grammatical-correctness"]
    chance = random.Random(6)
    twice = [entry(factor, chance, message=1, quote="film") for _ in range(5)]
    # "Film" stands three times in the reply, whatever the case.
    assert climbed(factor, read(factor, twice)).score == 1


def test_claims_that_nothing_supports_are_counted_apart_and_are_errors_in_the_published_reading() -> None:
    ours = FACTORS["groundness"]
    chance = random.Random(7)
    entries = [
        entry(ours, chance, message=1, quote="very good", kind="unsupported"),
        entry(ours, chance, message=1, quote="two hour long", kind="false"),
    ]
    found = climbed(ours, read(ours, entries))
    theirs = climbed(ours.read_as(Variant.PUBLISHED), read(ours, entries))
    assert (found.score, theirs.score) == (3, 2)
    assert known(found.counts)["unsupported"] == 1
    health = replace(OUTLINE, domain="health")
    harmful = [entry(ours, chance, message=1, quote="very good", kind="harmful")]
    strict = instance(RatedAnswer, score_items(read(ours, harmful), ours, CASE, health))
    assert strict.score == 2


def test_without_lists_the_items_must_stand_in_the_text() -> None:
    factor = FACTORS["novelty"]
    judge_input = replace(CASE, list_source=ListSource.TEXT)
    outline = outline_of(judge_input)
    chance = random.Random(8)
    entries = [entry(factor, chance, item=title, holds=True) for title in ("Film A", "Film Z", "Film Q")]
    found = read_entries(json.dumps({"items": entries}), [factor], outline)[factor.slug]
    assert not isinstance(found, Unreadable)
    rated = instance(RatedAnswer, score_items(found.entries, factor, judge_input, outline))
    assert (known(rated.counts)["items"], known(rated.counts)["quotes_not_found"]) == (2, 1)
    assert rated.score == 4


def test_a_question_that_does_not_arise_has_no_level_but_the_one_that_the_rubric_names() -> None:
    chance = random.Random(9)
    reasons = FACTORS["explainability"]
    nothing = [entry(reasons, chance, message=at, applies=False, holds=False) for at in range(1, 12, 2)]
    found = climbed(reasons, read(reasons, nothing))
    assert (found.score, found.assessable) == (None, False)
    published = FACTORS["recoverability"].read_as(Variant.PUBLISHED)
    for factor, level in (
        (FACTORS["recoverability"], None),
        (published, 4),
        (FACTORS["semantic-relevance"], 0),
    ):
        empty = climbed(factor, read(factor, []))
        assert (empty.score, empty.assessable) == (level, False)
