"""Trees of messages that the detector learns from, and how its thresholds are chosen."""

import random
from pathlib import Path

import numpy as np
import pytest

from research.detector.comparisons import blocks
from research.detector.spoilt import Stock, budget, exclusion, figure
from research.detector.thresholds import PRIOR, calibrated
from research.detector.trees import CLASS, FAULTS, GOOD, Tree, labelled, longest, planted
from service.encoder.detector import PIECES

ROW = {
    "id": "x-1", "domain": "tents",
    "messages": [
        {"role": "user", "content": "a tent for two, it should weigh under 3 kg"},
        {"role": "assistant", "content": "", "parts": [{"type": "tool_call", "id": "1", "name": "find", "arguments": "{}"}]},
        {"role": "assistant", "content": "Take the Vela Duo for 129 euro.",
         "parts": [{"type": "items", "items": [{"id": "v", "title": "Vela Duo", "price": 129.0, "currency": "EUR"}]}]},
        {"role": "user", "content": "is it dry?"},
        {"role": "assistant", "content": "Yes, the Vela Duo stays dry for a night at 129 euro."},
    ],
    "swaps": [{"message": 4, "content": "It is green.", "fault": "ignores-question"},
              {"message": 2, "content": "The Vela Duo it is.", "fault": "none"},
              {"message": 2, "content": None, "fault": "no-reply"}],
    "context_swaps": [{"message": 0, "content": "a tent for four", "faults": {"2": "contradicts-user"}},
                      {"message": 3, "content": "which colour?", "swap": 0, "faults": {"4": "none"}}],
}  # fmt: skip


@pytest.fixture
def tree() -> Tree:
    return planted("file", ROW)


def path(tree: Tree, number: int) -> list[str]:
    found: list[str] = []
    while number >= 0:
        found.insert(0, tree.nodes[number].text)
        number = tree.nodes[number].parent
    return found


def test_each_swap_follows_what_stood_before_it(tree: Tree) -> None:
    assert tree.trunk == 4
    labelled = {
        (node.kind, node.message): path(tree, number)
        for number, node in enumerate(tree.nodes)
        if node.classes
    }
    shown = "[Vela Duo, 129 EUR]"
    assert labelled["swap", 4][-1] == "It is green."
    assert labelled["swap", 4][:-1] == labelled["original", 4][:-1]
    assert labelled["none", 2][-1] == f"The Vela Duo it is. {shown}"
    assert labelled["context", 2] == ["a tent for four", f"Take the Vela Duo for 129 euro. {shown}"]
    assert labelled["twin", 4][-2:] == ["which colour?", "It is green."]
    assert len(labelled) == 6


def test_a_reply_fits_the_requests_of_its_own_side_alone(tmp_path: Path) -> None:
    text = "# wrong-kind | pets\na? a cat\na! Miu purrs.\nb? a dog\nb! Rex barks."
    (tmp_path / "blocks.txt").write_text(text)
    [block] = blocks(tmp_path / "blocks.txt")
    nodes = block.tree(random.Random(0)).nodes
    found = {(nodes[node.parent].text, node.text): node.classes for node in nodes if node.classes}
    good, wrong = frozenset({GOOD}), frozenset({CLASS["wrong-kind"]})
    assert {found["a cat", "Miu purrs."], found["a dog", "Rex barks."]} == {good}
    assert {found["a dog", "Miu purrs."], found["a cat", "Rex barks."]} == {wrong}


def test_a_reply_of_its_own_can_have_a_fault() -> None:
    tree = planted("file", {**ROW, "faults": {"4": "rude"}})
    labels = [
        (node.message, node.kind, node.classes) for node in tree.nodes[: tree.trunk] if not node.is_user
    ]
    assert labels == [(2, "original", frozenset({GOOD})), (4, "swap", frozenset({CLASS["rude"]}))]


def test_labels_of_real_talk_leave_out_what_is_unsure_and_may_name_several_faults() -> None:
    talk = {"id": "r-1", "messages": [
        {"role": "user", "content": "a scary film?", "sub_acts": ["IQU"]}, {"role": "assistant", "content": "Have you seen Up?"},
        {"role": "user", "content": "no thanks", "sub_acts": ["REJ"]}, {"role": "assistant", "content": "Up is good"},
    ]}  # fmt: skip
    labels = {
        "faults": {"1": ["wrong-kind", "breaks-constraint"]},
        "unsure": [3],
        "swaps": [{"message": 3, "content": "Then try The Ring.", "fault": "none"}],
    }
    nodes = labelled("iard", talk, labels).nodes
    assert nodes[1].classes == frozenset({CLASS["wrong-kind"], CLASS["breaks-constraint"]})
    assert nodes[3].classes is None
    assert nodes[4].classes == frozenset({GOOD})
    assert [node.reaction for node in nodes] == [3, None, 1, None, None]


def test_messages_beyond_a_window_are_left_out() -> None:
    long = {**ROW, "messages": [*ROW["messages"], *({"role": "assistant", "content": "so " * 240},) * 3]}
    found = planted("file", long)
    assert longest(found) <= PIECES
    assert found.trunk == 5


def test_a_limit_under_the_price_is_a_fault_and_one_above_it_none(tree: Tree) -> None:
    before = len(tree.nodes)
    budget(tree, random.Random(0), Stock([tree]))
    low, high = (tree.nodes[number] for number in (before + 1, before + 3))
    assert low.classes == frozenset({CLASS["breaks-constraint"]})
    assert high.classes == frozenset({GOOD})
    assert low.text == high.text


def test_an_exclusion_of_what_is_offered_is_a_fault(tree: Tree) -> None:
    stock = Stock([tree])
    stock.names = ["Korrin Solo"]
    before = len(tree.nodes)
    exclusion(tree, random.Random(0), stock)
    assert tree.nodes[before + 1].classes == frozenset({CLASS["ignores-exclusion"], CLASS["repeats-refused"]})
    assert "vela duo" in tree.nodes[before].text.lower()
    assert tree.nodes[before + 3].classes == frozenset({GOOD})


def test_a_changed_figure_contradicts_whoever_named_it(tree: Tree) -> None:
    figure(tree, random.Random(0), Stock([tree]))
    assert tree.nodes[-1].classes == frozenset({CLASS["contradicts-itself"]})
    assert "129" not in tree.nodes[-1].text


def sample(seed: int) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(FAULTS) + 1), [2000, *[40] * len(FAULTS)])
    odds = chance.normal(-4, 1, (len(labels), len(FAULTS)))
    odds[labels > 0, labels[labels > 0] - 1] += 4
    return odds, labels


def test_probabilities_are_calibrated_to_the_prior() -> None:
    odds, labels = sample(0)
    chances = calibrated(odds, labels).chances(odds)
    for fault in range(len(FAULTS)):
        here, absent = chances[labels == fault + 1, fault], chances[labels == GOOD, fault]
        assert PRIOR * here.mean() + (1 - PRIOR) * absent.mean() == pytest.approx(PRIOR, abs=0.006)
