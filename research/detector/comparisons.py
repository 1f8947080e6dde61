"""Requests and replies that fit or do not fit each other, as small trees to learn from.

A block of `comparisons.txt` names a fault, and has two or more sides with requests (`a?`) and replies (`a!`). A reply is good after
the requests of its own side, and has the fault after those of the others. So no wording tells a good reply from a faulty one."""

import random
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .trees import Tree

FILE = Path(__file__).parent / "comparisons.txt"
SOURCE = "comparisons"
ONE_IN = 8
#: Replies of a side that a tree shows.
SHOWN = 2
WEIGHT = 0.7
#: The share of trees that begin with a greeting.
GREETED = 0.4
_GREETINGS = (("hi", "Hello! What can I do for you?"), ("Hello", "Hi there, what are you looking for?"), ("hey, need your help", "Sure, tell me."),
              ("good morning", "Good morning! How can I help?"), ("Hi there!", "Welcome. What would you like?"))  # fmt: skip


@dataclass(slots=True)
class Block:
    """A fault, and for each side its requests and its replies."""

    fault: str
    topic: str
    requests: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    replies: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def held(self) -> bool:
        """True for one block in eight, by its topic: these only measure."""
        return zlib.crc32(self.topic.encode()) % ONE_IN == 0

    def tree(self, chance: random.Random) -> Tree:
        """Return requests of two sides, each followed by replies of both."""
        found = Tree(f"{self.fault} {self.topic}", self.topic, SOURCE)
        root = -1
        if chance.random() < GREETED:
            for is_user, text in zip((True, False), chance.choice(_GREETINGS), strict=True):
                root = found.say(text, root, is_user=is_user, message=len(found.nodes) - 2)
        sides = chance.sample(sorted(self.replies), 2)
        shown = [
            (side, text)
            for side in sides
            for text in chance.sample(self.replies[side], min(SHOWN, len(self.replies[side])))
        ]
        for side in sides:
            asked = found.say(chance.choice(self.requests[side]), root, is_user=True, message=0)
            for own, text in shown:
                kind, slug = ("none", "none") if own == side else ("swap", self.fault)
                found.say(text, asked, is_user=False, message=1, kind=kind, classes=(slug,), weight=WEIGHT)
        return found


def blocks(path: Path = FILE) -> Iterator[Block]:
    """Yield the blocks of a file. Raises ValueError for a line of another form."""
    found: Block | None = None
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        mark, _, text = line.partition(" ")
        if mark == "#":
            if found:
                yield found
            fault, _, topic = text.partition(" | ")
            found = Block(fault, topic)
        elif found and text and len(mark) == 2 and mark[1] in "?!":
            (found.requests if mark[1] == "?" else found.replies)[mark[0]].append(text)
        elif line.strip():
            raise ValueError(f"{path.name}:{number}: neither `# fault | topic`, `a? request` nor `a! reply`")
    if found:
        yield found
