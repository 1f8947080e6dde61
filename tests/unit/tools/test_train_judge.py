"""How acts are taught: labels, and teachers who read what has none."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from service.text.learned import said, side_of
from tools.train_judge import acts
from tools.train_judge.acts import Lessons, Side, fit_side, held_out_f1, labelled_acts, unlabelled
from tools.train_judge.states import Known, name, plain
from tools.train_judge.talk import messages_of, talks

OFFER = "How about Blue Harbour?"
#: What users say, and where an encoder puts it: both ways of having seen it lie close together.
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
def known(tmp_path: Path) -> Known:
    path = tmp_path / "states.npz"
    np.savez(
        path, names=np.array([name(plain(text)) for text in PLACES]), rows=np.array(list(PLACES.values()))
    )
    return Known(path)


def test_both_kinds_of_files_are_read_and_missing_ones_passed_over(data: Path) -> None:
    assert [len(messages_of(talk)) for talk in talks(data)] == [2] * 24
    assert {message.text for message in unlabelled(data, "user")} == {WATCHED, ASKED}
    first = labelled_acts(data, "user")[0]
    assert (first.labels, first.before, first.conversation) == (frozenset({"SEE"}), OFFER, "i0")


def test_a_text_that_the_encoder_has_not_read_is_an_error(known: Known) -> None:
    assert known.of([SEEN.upper(), " " + SEEN]).shape == (2, 2)
    with pytest.raises(KeyError):
        known.of(["something else"])


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
    macro, scores = held_out_f1(Side(labelled_acts(data, "user"), others, known))
    assert macro == 1
    assert set(scores) == {"INQ", "SEE"}
    assert len(shown) == acts.FOLDS
    # Every fold holds a conversation with the question that stands in the others' talk, too.
    for kept in shown:
        assert {message.text for message, use in zip(others, kept, strict=True) if use} == {WATCHED}
