"""Conversations and their variants as trees of messages: the corpus of faults, exchanged replies and real talk.

A node is one message, and its path to the root is its context. One pass over a tree reads a conversation once, with all
swaps and context swaps beside the originals."""

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from service.encoder.detector import PIECES, cut, rendered, windows

#: The faults to learn, in the order of the head's classes.
FAULTS = (
    "off-topic", "ignores-question", "wrong-kind", "wrong-addressee", "contradicts-itself", "contradicts-user",
    "asks-known", "unintelligible", "wrong-language", "breaks-constraint", "ignores-exclusion", "repeats-refused",
    "never-delivers", "abandons", "declines", "not-corrected", "denies-error", "passive", "interrogates", "no-reason",
    "generic-reason", "invented-fact", "broken-grammar", "template-leak", "loops", "stilted", "rude", "pushy", "unsafe",
)  # fmt: skip
#: The class of a good reply; the faults follow it.
GOOD = 0
CLASS = {slug: number for number, slug in enumerate(("none", *FAULTS))}
#: Possible faults of an exchanged reply.
ELSEWHERE = frozenset(CLASS[s] for s in ("off-topic", "wrong-addressee", "ignores-question", "wrong-kind"))
#: Possible faults of a reply that people found irrelevant.
IRRELEVANT = frozenset(
    CLASS[s]
    for s in (
        "off-topic", "wrong-addressee", "ignores-question", "wrong-kind", "contradicts-user", "asks-known", "unintelligible",
        "breaks-constraint", "ignores-exclusion", "repeats-refused", "never-delivers", "not-corrected", "passive", "loops",
    )
)  # fmt: skip
#: The share of exchanged replies that are of the same kind of conversation.
ALIKE = 0.5
#: The share of easy replies that an epoch reads all the same.
EASY = 0.15
#: Reactions of users, as IARD's acts say it.
REACTIONS = ("accepts", "rejects", "criticises", "other")


@dataclass(slots=True)
class Node:
    """A message in a tree: who says it, its pieces, the message before it (-1: none), the classes that it may have
    (None: unlabelled) and the weight of that label, how it came about, and the reaction of a user. An easy one is known already."""

    is_user: bool
    pieces: list[int]
    parent: int
    classes: frozenset[int] | None = None
    weight: float = 1.0
    kind: str = ""
    message: int = 0
    reaction: int | None = None
    text: str = ""
    easy: bool = False


@dataclass(slots=True)
class Tree:
    """A conversation with its variants."""

    name: str
    domain: str
    source: str
    nodes: list[Node] = field(default_factory=list)
    #: The number of nodes, from the first, that are the conversation itself.
    trunk: int = 0

    @property
    def key(self) -> str:
        """A name that no other tree has."""
        return f"{self.source} {self.name}"

    def say(
        self,
        text: str,
        parent: int,
        *,
        is_user: bool,
        message: int,
        kind: str = "",
        classes: Iterable[str] = (),
        weight: float = 1.0,
    ) -> int:
        """Append a message and return its number."""
        labels = frozenset(CLASS[slug] for slug in classes) or None
        return self.add(Node(is_user, cut(text), parent, labels, weight, kind, message, text=text))

    def add(self, node: Node) -> int:
        """Append a node and return its number."""
        self.nodes.append(node)
        return len(self.nodes) - 1


def spoken(message: dict[str, Any]) -> str:
    """Return the text of a message with its items."""
    return rendered(message.get("content") or "", items(message))


def items(message: dict[str, Any]) -> list[str]:
    """Return the names of a message's recommended items and of the items in its parts."""
    found = [_name(each) for each in message.get("recommendations") or ()]
    for part in message.get("parts") or ():
        if part.get("type") == "items":
            found += [_name(each) for each in part["items"]]
    return [name for name in dict.fromkeys(found) if name]


def _name(item: Any) -> str:
    if isinstance(item, str):
        return item
    title = next((str(item[key]) for key in ("title", "name", "item", "id") if item.get(key)), "")
    price = (
        f", {item['price']:g} {item.get('currency', '')}"
        if isinstance(item.get("price"), int | float)
        else ""
    )
    return f"{title}{price}".strip() if title else ""


def corpus(paths: Iterable[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return every conversation of the corpus' files, or folders of files, with the file's name.

    Conversations without swaps are left out. A file may be growing: a last line that is not complete is left for later."""
    for path in paths:
        for file in sorted(path.glob("*.jsonl")) if path.is_dir() else [path]:
            for line in file.read_text(encoding="utf-8").split("\n")[:-1]:
                if line.strip() and "swaps" in (row := json.loads(line)):
                    yield file.stem, row


def planted(source: str, row: dict[str, Any]) -> Tree:
    """Return a conversation of the corpus with its swaps and context swaps. Messages without text, such as calls of tools, are
    left out. A swap without items shows those of the original."""
    tree = Tree(row["id"], row.get("domain", ""), row.get("writer") or source)
    messages, faulty = row["messages"], row.get("faults", {})
    texts = [spoken(each) if each["role"] in ("user", "assistant") else "" for each in messages]
    before: list[int] = []
    nodes: dict[int, int] = {}
    for i, message in enumerate(messages):
        before.append(len(tree.nodes) - 1)
        if texts[i]:
            is_user, slug = message["role"] == "user", faulty.get(str(i), "none")
            kind = "" if is_user else "original" if slug == "none" else "swap"
            classes = () if is_user or slug not in CLASS else (slug,)
            nodes[i] = tree.say(texts[i], before[i], is_user=is_user, kind=kind, classes=classes, message=i)
    tree.trunk = len(tree.nodes)
    for swap in row.get("swaps", ()):
        i, slug = int(swap["message"]), swap["fault"]
        text = spoken({**messages[i], **swap}) if swap.get("content") else ""
        if text and slug in CLASS and i in nodes:
            kind = "none" if slug == "none" else "swap"
            tree.say(text, before[i], is_user=False, kind=kind, classes=(slug,), message=i)
    for swap in row.get("context_swaps", ()):
        j = int(swap["message"])
        faults = {int(i): slug for i, slug in swap["faults"].items() if slug in CLASS}
        if not faults or not swap.get("content"):
            continue
        last = tree.say(swap["content"], before[j], is_user=True, message=j)
        said = dict(enumerate(texts))
        if "swap" in swap:
            reply = row["swaps"][swap["swap"]]
            said[reply["message"]] = spoken({**messages[reply["message"]], **reply})
        for i in range(j + 1, max(faults) + 1):
            if said[i]:
                slug = faults.get(i, "")
                kind = (
                    "" if not slug else "context" if slug != "none" else "twin" if "swap" in swap else "none"
                )
                is_user = messages[i]["role"] == "user"
                last = tree.say(
                    said[i], last, is_user=is_user, kind=kind, classes=(slug,) if slug else (), message=i
                )
    return pruned(tree)


def real(source: str, row: dict[str, Any], goodish: float) -> list[Tree]:
    """Return a real conversation, in windows; every reply good with that weight, unless people rated its relevance."""
    rated = row.get("human", {}).get("turns") if source.startswith("crsarena") else None
    messages = row.get("messages") or row["utterances"]
    pieces = [cut(spoken(each)) for each in messages]
    found = []
    for start, (kept, new) in enumerate(windows(list(map(len, pieces)))):
        tree = Tree(f"{source}-{row['id']}-{start}", row.get("domain", ""), source)
        for i in (*kept, *new):
            message = messages[i]
            node = Node(message["role"] == "user", pieces[i], len(tree.nodes) - 1, message=i)
            if i in new and not node.is_user:
                _rate(node, rated[i] if rated and i < len(rated) else None, bool(rated), goodish)
            if i in new and node.is_user:
                node.reaction = _reaction(message.get("sub_acts") or ())
            tree.add(node)
        found.append(tree)
    return found


def labelled(source: str, row: dict[str, Any], labels: dict[str, Any]) -> Tree:
    """Return a real conversation with our labels of its replies (`film_faults.jsonl`) and the replies that we wrote beside them.

    A reply may have several faults; one in `unsure` has no label."""
    faults = {place: slugs[0] for place, slugs in labels["faults"].items()}
    tree = planted(source, {**row, "writer": source, "faults": faults, "swaps": labels["swaps"]})
    for node in tree.nodes[: tree.trunk]:
        if node.is_user:
            node.reaction = _reaction(row["messages"][node.message].get("sub_acts") or ())
        elif node.message in labels["unsure"]:
            node.classes = None
        else:
            slugs = labels["faults"].get(str(node.message), ())
            node.classes = frozenset(CLASS[slug] for slug in slugs if slug in CLASS) or node.classes
    return tree


def _rate(node: Node, rating: dict[str, Any] | None, is_rated: bool, goodish: float) -> None:
    if not is_rated:
        node.classes, node.weight, node.kind = frozenset({GOOD}), goodish, "real"
    elif rating and rating.get("relevance") is not None:
        good = rating["relevance"] >= 2
        node.classes = frozenset({GOOD}) if good else IRRELEVANT
        node.weight, node.kind = (2 * goodish if good else goodish * (1 - rating["relevance"] * 0.7)), "rated"


def _reaction(acts: Sequence[str]) -> int | None:
    if not acts:
        return None
    if "ACC" in acts:
        return 0
    if "REJ" in acts:
        return 1
    return 2 if any(act.startswith("CRI") for act in acts) else 3


class Replies:
    """Good replies of all conversations, and those of each kind: the same domain of the corpus, or the same set of real talk."""

    def __init__(self, trees: Iterable[Tree]) -> None:
        self.all: list[list[int]] = []
        self.kinds: dict[str, list[list[int]]] = defaultdict(list)
        for tree in trees:
            found = [n.pieces for n in tree.nodes if n.kind in ("original", "real", "rated")]
            self.all += found
            self.kinds[_kind(tree)] += found

    def choose(self, tree: Tree, chance: random.Random) -> list[int]:
        """Return a reply of another conversation, half of the time of the same kind."""
        return chance.choice(self.kinds.get(_kind(tree), self.all) if chance.random() < ALIKE else self.all)


def _kind(tree: Tree) -> str:
    return tree.domain if tree.trunk else tree.source


def exchanged(tree: Tree, others: Replies, chance: random.Random, count: int) -> Tree:
    """Return the tree with `count` replies of other conversations beside its own."""
    found = Tree(tree.name, tree.domain, tree.source, list(tree.nodes), tree.trunk)
    places = [
        n for n in tree.nodes if not n.is_user and n.parent >= 0 and n.kind in ("original", "real", "rated")
    ]
    for place in chance.sample(places, min(count, len(places))):
        pieces = others.choose(tree, chance)
        if len(pieces) < 12 or pieces == place.pieces:
            continue
        weight = 0.5 if place.kind == "original" else 0.3
        found.add(Node(False, pieces, place.parent, ELSEWHERE, weight, "exchanged", place.message))
    return found


def thinned(tree: Tree, chance: random.Random) -> Tree | None:
    """Return the tree without most of its easy replies and without messages that only they need; None where nothing is left."""
    if not any(node.easy for node in tree.nodes):
        return tree
    read = [
        n for n, node in enumerate(tree.nodes) if node.classes and (not node.easy or chance.random() < EASY)
    ]
    if not read:
        return None
    last = max(tree.nodes[n].message for n in read)
    needed = {n for n in range(tree.trunk) if tree.nodes[n].message <= last}
    for n in read:
        at = n
        while at >= 0 and at not in needed:
            needed.add(at)
            at = tree.nodes[at].parent
    return _part(tree, sorted(needed))


def _part(tree: Tree, numbers: Sequence[int]) -> Tree:
    """Return the tree with these of its nodes alone, in order, each with its parent."""
    found = Tree(tree.name, tree.domain, tree.source, trunk=sum(n < tree.trunk for n in numbers))
    moved = {-1: -1}
    for n in numbers:
        moved[n] = found.add(replace(tree.nodes[n], parent=moved[tree.nodes[n].parent]))
    return found


def depth(tree: Tree) -> list[int]:
    """Return where each node begins, in pieces from the start of its conversation."""
    ends: list[int] = []
    for node in tree.nodes:
        ends.append((ends[node.parent] if node.parent >= 0 else 0) + len(node.pieces))
    return [end - len(node.pieces) for end, node in zip(ends, tree.nodes, strict=True)]


def longest(tree: Tree) -> int:
    """Return the pieces of the tree's longest path."""
    return max(start + len(node.pieces) for start, node in zip(depth(tree), tree.nodes, strict=True))


def pruned(tree: Tree) -> Tree:
    """Return the tree without the messages that end beyond one window."""
    kept = {-1}
    for number, (node, start) in enumerate(zip(tree.nodes, depth(tree), strict=True)):
        if node.parent in kept and start + len(node.pieces) <= PIECES:
            kept.add(number)
    return _part(tree, sorted(kept - {-1}))
