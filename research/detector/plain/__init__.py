"""Short, plain conversations made by rule: obvious faults beside the good reply in their place.

The corpus has long conversations and subtle faults. What goes wrong in three plain words ("I need running shoes." - "How about
this handbag?") it hardly has. `kinds.toml` has kinds of items, `topics.toml` what is asked about them and what a user may need, and
`phrases.toml` the words around them."""

import random
import tomllib
import zlib
from collections.abc import Callable, Iterable, Sequence
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
_BROAD = frozenset({"film", "series", "novel", "album", "restaurant", "hotel"})
#: Groups whose kinds are genres.
_GENRES = frozenset({"screen", "reading", "listening", "food", "stay", "trips", "drinks"})
_BARE = str.maketrans("", "", ",'!")


@dataclass(frozen=True, slots=True)
class Tables:
    """Kinds of items, and topics and needs by the group of kinds that they fit."""

    kinds: tuple[Row, ...]
    topics: dict[str, tuple[Row, ...]]
    needs: dict[str, tuple[Row, ...]]

    @classmethod
    def read(cls, *, held_out: bool) -> "Tables":
        """Read the entries to learn from, or those held out."""
        kinds = tomllib.loads((FOLDER / "kinds.toml").read_text("utf-8"))["kinds"]
        given = tomllib.loads((FOLDER / "topics.toml").read_text("utf-8"))
        return cls(
            tuple(row for row in kinds if _is_held(row["name"]) is held_out),
            _grouped(row for row in given["topics"] if held_out or not _is_held(row["group"] + row["name"])),
            _grouped(row for row in given["needs"] if _is_held(row["says"][0]) is held_out),
        )


def _is_held(name: str) -> bool:
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
        self.kind = chance.choice(tables.kinds)
        group = self.kind["group"]
        self.topics = list(tables.topics.get(group, ()))
        self.needs = tables.needs.get(group, ())
        chance.shuffle(self.topics)
        self.items = chance.sample(self.kind["items"], len(self.kind["items"]))
        self.tree = Tree(f"plain {self.kind['name']}", self.kind["name"], "plain")
        self.last, self.turn = -1, 0
        self._small, self._bare = chance.random() < 0.5, chance.random() < 0.3
        self._plain_replies = chance.random() < 0.15

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
        text = _joined(parts)
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
        self.last = self._say(_joined((opening, good, end)), before, "original", ("none",))
        for text, slugs in chosen:
            self._say(_joined((opening, text, end)), before, "swap", slugs.split())
        self.turn += 1

    def _say(self, text: str, before: int, kind: str, classes: Sequence[str]) -> int:
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
        return _joined((form.format(**named), *claims))

    def wrong_offer(self, *, is_far: bool = False) -> tuple[str, str]:
        """Return a recommendation of items of another kind, and its faults."""
        other = self.other(is_far=is_far)
        text = self.offer(other, self.chance.sample(other["items"], self.chance.choice((1, 1, 2, 3))))
        # Another genre is another kind to some readers, and a broken wish to others.
        is_genre = other["group"] == self.kind["group"] and other["group"] in _GENRES
        return text, "wrong-kind breaks-constraint" if is_genre else "wrong-kind"

    def stray(self) -> str:
        """Return a sentence that has nothing to do with the conversation."""
        found: str = self.chance.choice((*PHRASES["strays"], *self.other()["claims"]))
        return found


def _joined(parts: Iterable[str]) -> str:
    return " ".join(part if part[-1] in ".,!?:" else f"{part}." for part in parts if part)


def _listed(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def wish(talk: Talk) -> str:
    """Return a first message that asks for the kind."""
    form = talk.phrase("wishes" if talk.chance.random() < 0.75 else "wants")
    article = "an" if talk.kind["name"][0] in "aeiou" else "a"
    return form.format(
        name=f"{article} {talk.kind['name']}",
        plural=talk.kind["plural"],
        want=talk.chance.choice(talk.kind["wants"]),
    )


def asked_for(talk: Talk) -> None:
    """The user says the kind, and what else matters; the reply offers something of another kind, or asks again."""
    told = talk.topics[: talk.chance.choice((0, 1, 1, 2))]
    rest = talk.topics[len(told) :]
    talk.user(talk.phrase("greetings"), wish(talk), *(talk.chance.choice(topic["tells"]) for topic in told))
    faulty = [
        talk.wrong_offer(),
        talk.wrong_offer(),
        (talk.stray(), "off-topic"),
        (talk.phrase("what").format(plural=talk.kind["plural"]), "asks-known"),
        (talk.phrase("declines"), "declines"),
        (_foreign(talk), "wrong-addressee"),
        *((talk.chance.choice(topic["asks"]), "asks-known") for topic in told),
        *((talk.chance.choice(topic["asks"]), "asks-known") for topic in told),
    ]
    good = talk.offer(talk.kind, [talk.items.pop() for _ in range(talk.chance.choice((1, 1, 1, 2, 3)))])
    if rest and talk.chance.random() < 0.4:
        good = talk.chance.choice(rest[0]["asks"])
        talk.reply(good, faulty)
        talk.user(talk.chance.choice(rest[0]["tells"]))
        again = (talk.chance.choice(rest[0]["asks"]), "asks-known")
        good = talk.offer(talk.kind, [talk.items.pop()])
        faulty = [again, talk.wrong_offer(), talk.wrong_offer(), (talk.stray(), "off-topic")]
    talk.reply(good, faulty)


def needing(talk: Talk) -> None:
    """The user names a need, and the reply breaks it."""
    if not talk.needs:
        asked_for(talk)
        return
    need, *more = talk.chance.sample(talk.needs, min(2, len(talk.needs)))
    says, wish = (
        talk.chance.choice(need["says"]),
        talk.phrase("wants").format(want=PHRASES["general"][talk.kind["group"]]),
    )
    if talk.chance.random() < 0.5:
        talk.user(talk.phrase("greetings"), wish, says)
    else:
        talk.user(talk.phrase("greetings"), wish)
        talk.reply(talk.phrase("anything"), [talk.wrong_offer(is_far=True)], 1)
        talk.user(says)
    extra = [(talk.stray(), "off-topic"), talk.wrong_offer(is_far=True)]
    talk.reply(talk.chance.choice(need["fits"]), [*_broken(need), *extra])
    if more and talk.chance.random() < 0.4:
        talk.user(talk.phrase("also").format(talk.chance.choice(more[0]["says"])))
        talk.reply(talk.chance.choice(more[0]["fits"]), _broken(more[0]))


def _broken(need: Row) -> list[tuple[str, str]]:
    return [(text, "breaks-constraint ignores-exclusion") for text in need["breaks"]]


def affording(talk: Talk) -> None:
    """The user names a limit, and the price is above it."""
    most = talk.chance.choice((8, 15, 20, 30, 40, 50, 60, 80, 100, 120, 150, 200, 300, 500, 800, 1200))
    mark = talk.chance.choice(("€{}", "${}", "£{}", "{} euros", "{} dollars", "{} pounds"))
    talk.user(talk.phrase("greetings"), wish(talk), talk.phrase("limits").format(mark.format(most)))
    item = talk.items.pop()
    costs = talk.phrase("costs")

    def priced(low: float, high: float) -> str:
        return costs.format(
            item=item, price=mark.format(max(2, round(most * talk.chance.uniform(low, high))))
        )

    talk.reply(
        priced(0.4, 0.98),
        [
            (priced(1.15, 2.5), "breaks-constraint"),
            (priced(1.15, 4), "breaks-constraint"),
            (talk.phrase("budget"), "asks-known"),
            talk.wrong_offer(),
        ],
    )


def questioned(talk: Talk) -> None:
    """The user asks about what was offered; the reply speaks of something else."""
    if len(talk.topics) < 2 or talk.tree.nodes[talk.last].text.endswith("?"):
        return
    topic, other = talk.chance.sample(talk.topics, 2)
    talk.user(talk.phrase("bridges"), talk.chance.choice(topic["questions"]))
    answer, beside = talk.chance.choice(topic["answers"]), talk.chance.choice(other["answers"])
    faulty = [
        (beside, "ignores-question"),
        (talk.chance.choice(talk.kind["claims"]), "ignores-question"),
        (talk.offer(talk.kind, [talk.items[0]]), "ignores-question"),
        (talk.stray(), "off-topic ignores-question"),
        (talk.phrase("idle"), "passive ignores-question"),
    ]
    talk.reply(answer, faulty)


def refused(talk: Talk) -> None:
    """The user turns an item down, and the reply offers it again."""
    item, new = talk.items.pop(), talk.items.pop()
    talk.reply(talk.offer(talk.kind, [item]), [talk.wrong_offer()], 1)
    talk.user(talk.phrase("refusals").format(item=item))
    faulty = [
        (talk.offer(talk.kind, [item]), "repeats-refused"),
        (talk.offer(talk.kind, [item, new]), "repeats-refused"),
        (talk.phrase("idle"), "passive"),
        talk.wrong_offer(),
    ]
    talk.reply(talk.offer(talk.kind, [new]), faulty)


def mistaken(talk: Talk) -> None:
    """The recommender has offered another kind, the user says so, and the reply does it again."""
    other = talk.other()
    wrong, again = talk.chance.sample(other["items"], 2)
    before, right = talk.last, talk.items.pop()
    talk._say(talk.offer(talk.kind, [talk.items.pop()]), before, "original", ("none",))
    talk.last = talk._say(talk.offer(other, [wrong]), before, "swap", ("wrong-kind",))
    talk.turn += 1
    talk.user(
        talk.phrase("objections").format(
            name=talk.kind["name"], other=other["name"], plural=talk.kind["plural"], wrong=wrong
        )
    )
    faulty = [
        (talk.offer(other, [again]), "not-corrected wrong-kind"),
        (talk.offer(other, [wrong]), "not-corrected repeats-refused"),
        (talk.phrase("sorry"), "not-corrected"),
        (talk.phrase("denials").format(wrong=wrong, name=talk.kind["name"]), "denies-error"),
    ]
    talk.reply(f"{talk.phrase('sorry')} {talk.offer(talk.kind, [right])}", faulty)


def thanked(talk: Talk) -> None:
    """The user is content."""
    talk.user(talk.phrase("content"))
    talk.reply(
        talk.phrase("closing"),
        [talk.wrong_offer(), (talk.phrase("what").format(plural=talk.kind["plural"]), "asks-known")],
        1,
    )


OPENINGS: tuple[Callable[[Talk], None], ...] = (asked_for, asked_for, needing, needing, affording)


def plain(tables: Tables, chance: random.Random) -> Tree:
    """Return a conversation of one to five replies, each with faulty ones beside it."""
    talk = Talk(tables, chance)
    if chance.random() < 0.2:
        talk.user(talk.phrase("greetings"), wish(talk))
        mistaken(talk)
    elif chance.random() < 0.2:
        talk.user(talk.phrase("greetings"), wish(talk))
        refused(talk)
    else:
        chance.choice(OPENINGS)(talk)
    for scene in chance.sample((questioned, questioned, thanked), chance.choice((0, 0, 1, 1, 2))):
        scene(talk)
        if scene is thanked:
            break
    return talk.tree


def _foreign(talk: Talk) -> str:
    other = talk.other()
    tells = [topic["tells"] for topic in talk.tables.topics.get(other["group"], ())]
    known = talk.chance.choice(talk.chance.choice(tells)) if tells else "that"
    return talk.phrase("foreign").format(
        plural=other["plural"], known=known, item=talk.chance.choice(other["items"])
    )
