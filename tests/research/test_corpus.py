"""The corpus of faults keeps its rules. `python -m research.corpus.check` prints the whole report."""

import pytest

from research.corpus.check import NONE, README, Corpus, absolute, length_alone, readme, reply_only
from service.faults import load_faults

CORPUS = Corpus()


def test_its_form_is_whole() -> None:
    assert CORPUS.errors() == []


def test_conversations_are_their_own() -> None:
    assert len(CORPUS.shared_phrases()) <= 0.05 * len(CORPUS.conversations)  # stock phrases and titles


def test_it_covers_domains_faults_and_good_replies() -> None:
    counts = CORPUS.counts()
    faulty = {fault: sum(each) for fault, each in counts.items() if fault != NONE}
    total = sum(faulty.values())
    assert len({one["domain"] for one in CORPUS.conversations}) >= 50
    assert min(faulty.values()) >= 10
    assert max(faulty.values()) <= 0.08 * total
    good = sum(swap["fault"] == NONE for one in CORPUS.conversations for swap in one["swaps"])
    assert good >= 0.5 * sum(own for fault, (own, _) in counts.items() if fault != NONE)
    for fault in load_faults().values():
        own, changed = counts[fault.slug]
        if fault.context:
            assert changed >= own / 2, fault.slug


@pytest.mark.slow
def test_a_reply_alone_and_its_length_give_little_away() -> None:
    examples = CORPUS.examples
    changed = [one for one in examples if one.context_swap or one.fault == NONE]
    assert reply_only(changed)["all"] < 0.60
    assert reply_only(examples)["context"] < 0.60
    assert 0.45 <= length_alone(examples)["all"] <= 0.55


def test_whole_conversations_are_rated_twice() -> None:
    number, correlation, difference = absolute()
    assert number == 580
    assert correlation > 0.8
    assert difference < 0.5


def test_the_readme_lists_the_files() -> None:
    assert README.read_text("utf-8") == readme()
