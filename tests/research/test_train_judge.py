"""Training of the heads of acts and satisfaction from labels."""

import json
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from research.train_judge.acts import Side, fit_side, held_out_f1, labelled_acts, rating
from research.train_judge.marked import satisfaction_without
from research.train_judge.ratings import WHOLE, agreement, by_family, fit_ratings, rated_reactions
from research.train_judge.states import Known, plain, read_states
from research.train_judge.talk import RATED, RATED_FAMILIES, messages_of, talks
from service.judges.embedded.observations.acts import acts
from service.judges.embedded.observations.acts.acts import (
    SATISFACTION,
    Said,
    model,
    seen_in,
    sentiment,
    side_of,
    user_acts,
)
from service.text.words import words

OFFER = "How about Blue Harbour (1999)?"
BARE = "How about Blue Harbour?"
#: Texts of users, and where an encoder puts it: both ways of having seen it lie close together.
SEEN, WATCHED, ASKED = (
    "i have seen that one before",
    "watched it twice last year",
    "who is in it, and who made it?",
)
PLACES = {SEEN: (1.0, 0.0), WATCHED: (0.9, 0.1), ASKED: (-1.0, 0.0), OFFER: (0.0, 1.0), BARE: (0.0, 1.1)}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Twelve labelled conversations."""
    labelled = [
        {"id": f"i{n}", "messages": [
            {"role": "assistant", "content": OFFER, "sub_acts": ["REC-E"]},
            {"role": "user", "content": text, "sub_acts": [act]},
        ]}
        for n, (text, act) in enumerate([(SEEN, "SEE"), (ASKED, "INQ")] * 6)
    ]  # fmt: skip
    (tmp_path / "iard.jsonl").write_text("\n".join(map(json.dumps, labelled)), encoding="utf-8")
    return tmp_path


@pytest.fixture
def known() -> Known:
    return Known(list(PLACES), np.array(list(PLACES.values())))


def test_missing_files_are_passed_over_and_titles_read_without_their_years_too(data: Path) -> None:
    assert [len(messages_of(talk)) for talk in talks(data)] == [2] * 12
    first, again = labelled_acts(data, "user")[0], labelled_acts(data, "user")[12]
    assert (first.labels, first.before, first.conversation) == (frozenset({"SEE"}), OFFER, "i0")
    assert (again.before, again.bare, again.conversation) == (BARE, True, "i0")


def test_a_text_that_the_encoder_has_not_read_is_an_error_and_no_text_is_none(known: Known) -> None:
    assert known.of([" " + SEEN, ""]).shape == (2, 2)
    assert not known.of([" "]).any()
    with pytest.raises(KeyError):
        known.of(["something else"])


def test_the_encoder_of_the_wheel_reads_every_message(data: Path) -> None:
    rows = read_states(data).of([SEEN, ASKED, OFFER, BARE])
    assert rows.shape == (4, 4 * 384)
    seen, asked, offer, bare = rows
    assert offer @ bare > offer @ seen
    assert seen @ asked < seen @ seen


def test_what_lies_close_to_a_label_is_heard_as_it(data: Path, known: Known) -> None:
    stored = {
        f"user_{key}": value for key, value in fit_side(Side(labelled_acts(data, "user"), known)).items()
    }
    head = side_of({**stored, "usual": known.mean}, "user")
    watched, asked = head.read(
        [Said(np.array(PLACES[text]), np.array(PLACES[OFFER]), 0) for text in (WATCHED, ASKED)]
    )
    assert watched["SEE"] > 0.7 > 0.3 > asked["SEE"]
    assert asked["INQ"] > 0.7 > 0.3 > watched["INQ"]


def test_acts_are_measured_on_conversations_that_were_held_out(data: Path, known: Known) -> None:
    reached = held_out_f1(Side(labelled_acts(data, "user"), known))
    assert reached.macro == 1
    assert set(reached.by_label) == {"INQ", "SEE"}


GLAD, BORED = "that sounds wonderful, what a lovely choice", "how dull, i could not care less"


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    """Ten rated conversations; nobody but the user of the first is bored, and only that of the first part."""
    talks = [
        {"id": f"u{n}", "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": OFFER},
            {"role": "user", "content": BORED if n == 0 else f"{GLAD} number {n}"},
        ], "human": {"turns": [[3, 3], None, [1, 1] if n == 0 else [4, 5]]}}
        for n in range(10)
    ]  # fmt: skip
    (tmp_path / RATED["human"]).write_text("\n".join(map(json.dumps, talks)), encoding="utf-8")
    return tmp_path


def listening(texts: Iterable[str]) -> Known:
    """An encoder that tells the bored from the glad."""
    every = sorted({plain(text) for text in texts})
    return Known(every, np.array([[float(text == BORED), 1.0] for text in every]))


def test_ratings_of_annotators_are_read_in_both_forms() -> None:
    assert rating([4, 5]) == rating({"satisfaction": [4, 5]}) == 4.5
    assert rating(None) is rating({"relevance": 3}) is None


def test_the_first_message_of_a_user_is_no_reaction(rated: Path) -> None:
    found = rated_reactions(rated)
    assert [len(found[name]) for name in RATED_FAMILIES] == [2, 2, 2, 2, 2, 0, 0]
    assert [each.text for each, _ in found["human 0"]] == [BORED, f"{GLAD} number 5"]


def test_the_rating_of_a_whole_conversation_counts_for_a_part(rated: Path) -> None:
    alone = {each.text: mark for some in rated_reactions(rated).values() for each, mark in some}
    assert fmean(alone.values()) == pytest.approx(0)
    rows = [json.loads(line) for line in (rated / RATED["human"]).read_text().splitlines()]
    for number, row in enumerate(rows):
        row["human"]["overall"] = [5 if number == 1 else 3]
    (rated / RATED["human"]).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    told = {each.text: mark for some in rated_reactions(rated).values() for each, mark in some}
    assert told[f"{GLAD} number 1"] - told[f"{GLAD} number 2"] == pytest.approx(2 * WHOLE)


def test_satisfaction_is_learned_without_the_conversations_of_a_family(rated: Path) -> None:
    reactions = rated_reactions(rated)
    known = listening(each.text for some in reactions.values() for each, _ in some)

    def bored(left_out: str) -> float:
        own, _, seen, bias = fit_ratings(reactions, known, left_out)
        marks = [name in seen_in(user_acts(BORED), sentiment(words(BORED))) for name in acts.SEEN]
        return float(np.array([1.0, 1.0]) @ own[:, 0] + np.array(marks) @ seen[:, 0] + bias[0, 0])

    assert bored("") < bored("human 0") - 1
    learned = by_family(reactions, known)
    assert list(learned) == list(RATED_FAMILIES[:5])
    whole = dict.fromkeys(learned, fit_ratings(reactions, known))
    seen, unseen = (agreement(reactions, known, models, learned) for models in (whole, learned))
    assert seen > 0.99 > 0.5 > unseen


def test_a_family_is_measured_by_what_was_learned_without_it() -> None:
    side = model()["user"]
    column = side.labels.index(SATISFACTION)
    weights = [side.own[:, column]]
    for name in RATED_FAMILIES:
        with satisfaction_without(name):
            held_out = vars(acts)["model"]()["user"].own
            assert np.array_equal(held_out[:, :column], side.own[:, :column])
            weights.append(held_out[:, column])
    assert not any(np.allclose(one, weights[0]) for one in weights[1:])
    assert np.corrcoef(weights)[0].min() > 0.5
