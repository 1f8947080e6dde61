"""Check the corpus of faults: form, duplicates, coverage, and how much a reply alone gives away.

    python -m research.corpus.check

Rules are in `README.md`, whose table of files this writes. A broken rule of form is an error; the figures are reported and held by
a test."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from research.judge_page import written
from service.faults import load_faults

FOLDER = Path(__file__).parent
README = FOLDER / "README.md"
ABSOLUTE = "absolute"
GRAMS = 8
NONE = "none"
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Example:
    """A reply with its label: an original or a `none` swap (good), a faulty swap, or an original behind a changed message."""

    conversation: str
    domain: str
    text: str
    fault: str
    context_swap: bool


class Corpus:
    """The conversations of every file, by writer."""

    def __init__(self) -> None:
        self.conversations: list[Json] = []
        for path in sorted(FOLDER.glob("*.jsonl")):
            if path.stem != ABSOLUTE:
                self.conversations += [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    @cached_property
    def examples(self) -> list[Example]:
        """Every labelled reply, originals first in each conversation."""
        return [example for one in self.conversations for example in _examples(one)]

    def errors(self) -> list[str]:
        """Return what breaks the form: unknown faults, indices that point nowhere, ids twice."""
        known = {*load_faults(), NONE}
        ids = Counter(one["id"] for one in self.conversations)
        found = [f"{name}: the id occurs {n} times" for name, n in ids.items() if n > 1]
        for one in self.conversations:
            found += [f"{one['id']}: {error}" for error in _form(one, known)]
        return found

    def shared_phrases(self) -> list[tuple[str, str, str]]:
        """Return pairs of conversations that share a run of eight words, with the words."""
        owner: dict[str, str] = {}
        found: dict[tuple[str, str], str] = {}
        for one in self.conversations:
            for gram in _grams(one):
                first = owner.setdefault(gram, one["id"])
                if first != one["id"]:
                    found.setdefault((first, one["id"]), gram)
        return [(first, second, gram) for (first, second), gram in found.items()]

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return for each fault how many swaps and how many context swaps have it."""
        swaps = Counter(swap["fault"] for one in self.conversations for swap in one["swaps"])
        context = Counter(one.fault for one in self.examples if one.context_swap)
        return {fault: (swaps[fault], context[fault]) for fault in (NONE, *load_faults())}


def _form(one: Json, known: set[str]) -> Iterator[str]:
    messages = one["messages"]
    own = [{"message": int(at), "fault": fault, "content": ""} for at, fault in one.get("faults", {}).items()]
    for swap in (*own, *one["swaps"]):
        at = swap["message"]
        if swap["fault"] not in known:
            yield f"unknown fault {swap['fault']}"
        if not 0 <= at < len(messages) or messages[at]["role"] != "assistant":
            yield f"a swap of message {at}, which is no reply"
        if (swap["content"] is None) is not (swap["fault"] == "no-reply"):
            yield f"a swap of message {at}: only a missing reply has no content"
    for swap in one["context_swaps"]:
        if messages[swap["message"]]["role"] != "user":
            yield f"a context swap of message {swap['message']}, which is not the user's"
        for at, fault in swap["faults"].items():
            of = one["swaps"][swap["swap"]]["message"] if "swap" in swap else int(at)
            if fault not in known or int(at) <= swap["message"] or of != int(at):
                yield f"a context swap that labels message {at} {fault}"
            elif messages[int(at)]["role"] != "assistant":
                yield f"a context swap that labels message {at}, which is no reply"


def fault_of(one: Json, at: int) -> str:
    """Return the fault of a conversation's own reply, `none` where it is good."""
    return str(one.get("faults", {}).get(str(at), NONE))


def _examples(one: Json) -> Iterator[Example]:
    def example(text: str, fault: str, *, context: bool = False) -> Example:
        return Example(one["id"], one["domain"], text, fault, context)

    for at, message in enumerate(one["messages"]):
        if message["role"] == "assistant" and message.get("content"):
            yield example(message["content"], fault_of(one, at))
    for swap in one["swaps"]:
        yield example(swap["content"] or "", swap["fault"])
    for swap in one["context_swaps"]:
        for at, fault in swap["faults"].items():
            reply = one["swaps"][swap["swap"]] if "swap" in swap else one["messages"][int(at)]
            yield example(reply.get("content") or "", fault, context=True)


def _grams(one: Json) -> set[str]:
    texts = [message.get("content") or "" for message in one["messages"]]
    texts += [swap["content"] or "" for swap in (*one["swaps"], *one["context_swaps"])]
    found = set()
    for text in texts:
        words = re.findall(r"[\w']+", text.lower())
        found |= {" ".join(words[at : at + GRAMS]) for at in range(len(words) - GRAMS + 1)}
    return found


def reply_only(examples: Sequence[Example]) -> Mapping[str, float]:
    """Return the AUC of telling faults from good replies by the reply alone (words and pairs of words, logistic regression,
    domains left out): of each fault, of "all" together, and of "context", the faults that only the context can decide."""
    texts = [one.text for one in examples]
    faulty = np.array([one.fault != NONE for one in examples])
    scores = np.zeros(len(texts))
    groups = [one.domain for one in examples]
    for train, test in GroupKFold(5).split(texts, faulty, groups):
        vectors = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2)
        model = LogisticRegression(C=4, solver="liblinear")
        model.fit(vectors.fit_transform([texts[at] for at in train]), faulty[train])
        scores[test] = model.decision_function(vectors.transform([texts[at] for at in test]))
    return _areas(examples, scores)


def length_alone(examples: Sequence[Example]) -> Mapping[str, float]:
    """Return the same by the length of the reply."""
    return _areas(examples, np.array([float(len(one.text)) for one in examples]))


def _areas(examples: Sequence[Example], scores: np.ndarray) -> Mapping[str, float]:
    context = {fault.slug for fault in load_faults().values() if fault.context}
    kinds = np.array([one.fault for one in examples])
    good = kinds == NONE
    masks = {"all": ~good, "context": np.isin(kinds, sorted(context))}
    masks |= {fault: kinds == fault for fault in dict.fromkeys(kinds[~good])}
    return {
        name: float(roc_auc_score(mask[mask | good], scores[mask | good])) for name, mask in masks.items()
    }


def absolute() -> tuple[int, float, float]:
    """Return the number of rated conversations, the correlation of both readers on `overall`, and their mean difference."""
    rated = [
        json.loads(line)["ratings"] for line in (FOLDER / f"{ABSOLUTE}.jsonl").read_text("utf-8").splitlines()
    ]
    first, second = (np.array([one[reader]["overall"] for one in rated]) for reader in ("first", "second"))
    return len(rated), float(np.corrcoef(first, second)[0, 1]), float(np.abs(first - second).mean())


def contents() -> Iterator[str]:
    """Yield the lines of the README's table of files."""
    yield "| file | conversations | domains | styles |"
    yield "| --- | ---: | --- | --- |"
    for path in sorted(FOLDER.glob("*.jsonl"), key=lambda path: (len(path.stem), path.stem)):
        found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        domains, styles = (_commonest(Counter(one[name] for one in found)) for name in ("domain", "style"))
        yield f"| `{path.name}` | {len(found)} | {domains} | {styles} |"


def _commonest(counts: Counter[str]) -> str:
    more = len(counts) - 3
    return ", ".join(name for name, _ in counts.most_common(3)) + (f", {more} more" if more > 0 else "")


def readme() -> str:
    """Return the README with its table of files renewed."""
    return written(README.read_text("utf-8"), contents(), "files")


def main() -> None:
    """Print the report and write the README's table; exit with 1 where the form is broken."""
    corpus = Corpus()
    examples, counts = corpus.examples, corpus.counts()
    domains = {one["domain"] for one in corpus.conversations}
    print(f"{len(corpus.conversations)} conversations in {len(domains)} domains")
    faulty = sum(one.fault != NONE for one in examples)
    good = sum(swap["fault"] == NONE for one in corpus.conversations for swap in one["swaps"])
    context = sum(own for fault, (_, own) in counts.items() if fault != NONE)
    print(
        f"{faulty - context} faulty swaps, {good} good ones, {context} faulty replies behind a changed message"
    )
    print(f"{len(corpus.shared_phrases())} pairs of conversations share a run of {GRAMS} words")
    length, alone = length_alone(examples), reply_only(examples)
    changed = reply_only([one for one in examples if one.context_swap or one.fault == NONE])
    print(f"AUC of length alone {length['all']:.2f}; of the reply alone {alone['all']:.2f}, on context faults {alone['context']:.2f}, "
          f"on changed messages {changed['all']:.2f}")  # fmt: skip
    for fault, (own, other) in counts.items():
        if fault != NONE:
            print(
                f"{fault:24}{own:7} swaps{other:7} behind a changed message{(own + other) / faulty:8.1%}"
                f", AUC of length {length[fault]:.2f}, of the reply {alone[fault]:.2f}"
            )
    number, correlation, difference = absolute()
    print(
        f"{number} rated conversations: readers correlate {correlation:.2f}, differ by {difference:.2f} of 4"
    )
    README.write_text(readme(), encoding="utf-8")
    raise SystemExit("\n".join(corpus.errors()) or 0)


if __name__ == "__main__":
    main()
