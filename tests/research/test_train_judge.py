"""Training of acts and satisfaction: labels, and teachers who read what has none."""

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from research.train_judge import acts
from research.train_judge.acts import (
    Lessons,
    Side,
    design,
    fit_side,
    held_out_f1,
    labelled_acts,
    packed,
    rarity_of,
    unlabelled,
)
from research.train_judge.marked import satisfaction_without
from research.train_judge.ratings import (
    WHOLE,
    fit_ratings,
    held_out_agreement,
    hidden_in,
    rated_reactions,
    ratings_of,
)
from research.train_judge.states import Known, plain, read_states
from research.train_judge.talk import PARTS, RATED, messages_of, talks
from service.judges.embedded.observations import reading
from service.judges.embedded.observations.acts.learned import SATISFACTION, model, said, side_of, unpacked

OFFER = "How about Blue Harbour?"
#: Messages of users, and their places in an encoder's space: both ways to say "seen" lie close together.
SEEN, WATCHED, ASKED = (
    "i have seen that one before",
    "watched it twice last year",
    "who is in it, and who made it?",
)
PLACES = {
    SEEN: (1.0, 0.0),
    WATCHED: (0.9, 0.1),
    ASKED: (-1.0, 0.0),
    OFFER.lower(): (0.0, 1.0),
    ".": (0.0, -1.0),
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Twelve labelled conversations, and as many without labels in the other format."""
    labelled = [
        {"id": f"i{n}", "messages": [
            {"role": "assistant", "content": OFFER, "sub_acts": ["REC-E"]},
            {"role": "user", "content": text, "sub_acts": [act]},
        ]}
        for n, (text, act) in enumerate([(SEEN, "SEE"), (ASKED, "INQ")] * 6)
    ]  # fmt: skip
    others = [
        {"id": f"o{n}", "utterances": [
            {"role": "assistant", "content": OFFER, "strategy": "offer_help"},
            {"role": "user", "content": text},
        ]}
        for n, text in enumerate([WATCHED, ASKED] * 6)
    ]  # fmt: skip
    for file, rows in (("iard.jsonl", labelled), ("inspired.jsonl", others)):
        (tmp_path / file).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


@pytest.fixture
def known() -> Known:
    return Known([plain(text) for text in PLACES], np.array(list(PLACES.values())))


def test_both_kinds_of_files_are_read_and_missing_ones_passed_over(data: Path) -> None:
    assert [len(messages_of(talk)) for talk in talks(data)] == [2] * 24
    assert {message.text for message in unlabelled(data, "user")} == {WATCHED, ASKED}
    first = labelled_acts(data, "user")[0]
    assert (first.labels, first.before, first.conversation) == (frozenset({"SEE"}), OFFER, "i0")


def test_a_text_that_the_encoder_has_not_read_is_an_error(known: Known) -> None:
    assert known.of([SEEN.upper(), " " + SEEN]).shape == (2, 2)
    with pytest.raises(KeyError):
        known.of(["something else"])


def test_the_encoder_of_the_wheel_reads_every_message_once(data: Path) -> None:
    read = read_states(data)
    rows = read.of([SEEN, WATCHED, ASKED, ""])
    assert rows.shape == (4, 384)
    seen, watched, asked, _ = rows
    assert seen @ watched > seen @ asked


def test_a_student_learns_words_from_teachers_that_no_label_has(data: Path, known: Known) -> None:
    messages = labelled_acts(data, "user")

    def seen(side: Side) -> float:
        stored: dict[str, Any] = fit_side(side)
        return side_of(stored).read([said("user", WATCHED, OFFER, 0)])[0]["SEE"]

    taught = seen(Side(messages, unlabelled(data, "user"), known))
    assert taught > 0.7 > seen(Side(messages))


def test_no_text_of_a_held_out_conversation_teaches(
    data: Path, known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = []
    whole = Lessons.part

    def part(self: Lessons, rows: Any, more: Any) -> Lessons:
        shown.append(more)
        return whole(self, rows, more)

    monkeypatch.setattr(Lessons, "part", part)
    others = unlabelled(data, "user")
    reached = held_out_f1(Side(labelled_acts(data, "user"), others, known))
    assert reached.macro == 1
    assert set(reached.by_label) == {"INQ", "SEE"}
    assert len(shown) == acts.FOLDS
    # Every fold holds a conversation with the question that stands in the others' talk, too.
    for kept in shown:
        assert {message.text for message, use in zip(others, kept, strict=True) if use} == {WATCHED}


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
    (tmp_path / RATED).write_text("\n".join(map(json.dumps, talks)), encoding="utf-8")
    return tmp_path


def listening(data: Path) -> Known:
    """An encoder that tells the bored from the glad."""
    texts = sorted({plain(message.text) for message in rated_reactions(data)})
    return Known(texts, np.array([[float(text == BORED), 1.0] for text in texts]))


def test_the_first_message_of_a_user_is_no_reaction(rated: Path) -> None:
    assert {message.text for message in rated_reactions(rated)} == {
        BORED, *(f"{GLAD} number {n}" for n in range(1, 10))
    }  # fmt: skip
    assert [message.rating for message in rated_reactions(rated)[:2]] == [1, 4.5]


def test_the_rating_of_a_whole_conversation_counts_for_a_part(rated: Path) -> None:
    messages = rated_reactions(rated)
    alone = ratings_of(rated, messages)
    assert alone == [message.rating for message in messages]
    rows = [json.loads(line) for line in (rated / RATED).read_text().splitlines()]
    for number, row in enumerate(rows):
        row["human"]["overall"] = [5 if number == 1 else 3]
    (rated / RATED).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    told = dict(zip([message.conversation for message in messages], ratings_of(rated, messages), strict=True))
    assert told["u1"] - told["u2"] == pytest.approx(2 * WHOLE)
    assert fmean(ratings_of(rated, messages)) == pytest.approx(fmean(alone))


def test_satisfaction_is_learned_without_the_conversations_of_a_part(rated: Path) -> None:
    known, messages = listening(rated), rated_reactions(rated)
    assert hidden_in(rated, 0) == {"u0", "u5"}
    assert hidden_in(rated, PARTS) == set()
    rarity = rarity_of(messages)

    def bored(number: int) -> float:
        stored = packed([fit_ratings(rated, messages, known, rarity, number)])
        inputs = design([message for message in messages if message.text == BORED][:1], rarity, 0)
        return float((inputs @ unpacked(stored))[0, 0] + stored["bias"][0])

    assert bored(PARTS) < 3 < 4 < bored(0)
    whole = [fit_ratings(rated, messages, known, rarity, PARTS)] * PARTS
    parts = [fit_ratings(rated, messages, known, rarity, number) for number in range(PARTS)]
    seen, unseen = (held_out_agreement(rated, models, rarity) for models in (whole, parts))
    assert seen > 0.99 > 0.5 > unseen


def test_a_part_is_measured_by_what_was_learned_without_it() -> None:
    side = model()["user"]
    column = side.labels.index(SATISFACTION)
    whole = side.weights[:, column]
    weights = []
    for number in range(PARTS):
        with satisfaction_without(number):
            held_out = vars(reading)["model"]()["user"].weights
            assert np.array_equal(held_out[:, :column], side.weights[:, :column])
            weights.append(held_out[:, column])
    assert not any(np.allclose(one, whole) for one in weights)
    assert np.corrcoef([whole, *weights])[0].min() > 0.5
