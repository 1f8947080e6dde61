"""Tables of kinds, topics and needs, and a conversation in the making."""

import random
import tomllib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..trees import Tree

FOLDER = Path(__file__).parent
#: One table entry in so many is held out, by its name.
ONE_IN = 6
Row = dict[str, Any]
PHRASES = tomllib.loads((FOLDER / "phrases.toml").read_text("utf-8"))
#: Kinds that hold others of their group.
_BROAD = frozenset({"film", "series", "novel", "album", "restaurant", "hotel", "video game"})
#: Groups whose kinds are genres.
_GENRES = frozenset({"screen", "reading", "listening", "food", "stay", "trips", "drinks"})
_BARE = str.maketrans("", "", ",'!")


@dataclass(frozen=True, slots=True)
class Tables:
    """Kinds of items, and topics and needs by the group of kinds that they fit: those to learn from, or those held out."""

    held_out: bool
    kinds: tuple[Row, ...]
    topics: dict[str, tuple[Row, ...]]
    needs: dict[str, tuple[Row, ...]]

    @classmethod
    def read(cls, *, held_out: bool) -> "Tables":
        """Read the entries to learn from, or those held out."""
        kinds = tomllib.loads((FOLDER / "kinds.toml").read_text("utf-8"))["kinds"]
        given = tomllib.loads((FOLDER / "topics.toml").read_text("utf-8"))
        return cls(
            held_out,
            tuple(row for row in kinds if is_held(row["name"]) is held_out),
            _grouped(row for row in given["topics"] if held_out or not is_held(row["group"] + row["name"])),
            _grouped(row for row in given["needs"] if is_held(row["says"][0]) is held_out),
        )


def is_held(name: str) -> bool:
    """Return whether the table entry of that name is held out."""
    return zlib.crc32(name.encode()) % ONE_IN == 0


def _grouped(rows: Iterable[Row]) -> dict[str, tuple[Row, ...]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["group"], []).append(row)
    return {group: tuple(own) for group, own in found.items()}


class Talk:
    """One conversation in the making: a tree whose trunk is good, with faulty replies beside it."""

    def __init__(self, tables: Tables, chance: random.Random) -> None:
        self.tables, self.chance = tables, chance
        self.turn_to(chance.choice(tables.kinds))
        self.tree = Tree(f"plain {self.kind['name']}", self.kind["name"], "plain")
        self.last, self.turn = -1, 0
        self._small, self._bare = chance.random() < 0.5, chance.random() < 0.3
        self._plain_replies = chance.random() < 0.15

    def turn_to(self, kind: Row) -> None:
        """Make that kind the wanted one."""
        self.kind, group = kind, kind["group"]
        self.topics = list(self.tables.topics.get(group, ()))
        self.needs = self.tables.needs.get(group, ())
        self.chance.shuffle(self.topics)
        self.items = self.chance.sample(kind["items"], len(kind["items"]))

    def phrase(self, name: str) -> str:
        """Return one of the phrases of that name."""
        found: str = self.chance.choice(PHRASES[name])
        return found

    def other(self, *, is_far: bool = False) -> Row:
        """Return another kind, of the same group in every second case unless it is to be far."""
        group = self.kind["group"]
        far = [row for row in self.tables.kinds if row["group"] != group]
        near = [
            row
            for row in self.tables.kinds
            if row["group"] == group and row is not self.kind and row["name"] not in _BROAD
        ]
        is_near = near and not is_far and self.kind["name"] not in _BROAD and self.chance.random() < 0.5
        return self.chance.choice(near if is_near else far)

    def user(self, *parts: str) -> None:
        """Say the parts as the user."""
        text = joined(parts)
        if self._small:
            text = text.lower()
        if self._bare:
            text = text.translate(_BARE).rstrip(".!")
        self.last = self.tree.say(text, self.last, is_user=True, message=self.turn)
        self.turn += 1

    def reply(self, good: str, faulty: Sequence[tuple[str, str]], others: int = 3) -> None:
        """Say the good reply, with some of the faulty ones beside it; each has its faults, divided by spaces."""
        opening, end = self.phrase("openings"), self.phrase("ends")
        chosen = self.chance.sample(faulty, min(others, len(faulty)))
        before = self.last
        self.last = self.say(joined((opening, good, end)), before, "original", ("none",))
        for text, slugs in chosen:
            self.say(joined((opening, text, end)), before, "swap", slugs.split())
        self.turn += 1

    def say(self, text: str, before: int, kind: str, classes: Sequence[str]) -> int:
        """Say a reply after a message, and return its number."""
        if self._plain_replies:
            text = text.lower()
        return self.tree.say(
            text, before, is_user=False, message=self.turn, kind=kind, classes=classes, weight=0.5
        )

    def offer(self, kind: Row, items: Sequence[str]) -> str:
        """Return a recommendation of items of a kind."""
        form = self.chance.choice(PHRASES["offers"] if len(items) == 1 else PHRASES["lists"])
        claims = self.chance.sample(
            kind["claims"], self.chance.choice((0, 1, 1, 2)) if len(items) == 1 else 0
        )
        named = {"name": kind["name"], "plural": kind["plural"], "items": _listed(items), "count": len(items)}
        return joined((form.format(**named), *claims))

    def wrong_offer(self, *, is_far: bool = False) -> tuple[str, str]:
        """Return a recommendation of items of another kind, and its faults."""
        other = self.other(is_far=is_far)
        text = self.offer(other, self.chance.sample(other["items"], self.chance.choice((1, 1, 2, 3))))
        # Another genre is another kind to some readers, and a broken wish to others.
        is_genre = other["group"] == self.kind["group"] and other["group"] in _GENRES
        return text, "wrong-kind breaks-constraint" if is_genre else "wrong-kind"

    def slot(self) -> Row | None:
        """Return something that an item of the group has one value of, such as a colour; None where nothing fits."""
        fitting = [row for row in PHRASES["slots"] if self.kind["group"] in row["groups"]]
        return self.chance.choice(fitting) if fitting else None

    def stray(self) -> str:
        """Return a sentence that has nothing to do with the conversation."""
        found: str = self.chance.choice((*PHRASES["strays"], *self.other()["claims"]))
        return found


def joined(parts: Iterable[str]) -> str:
    """Return sentences as one text."""
    return " ".join(part if part[-1] in ".,!?:" else f"{part}." for part in parts if part)


def _listed(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
