"""Task dialogues by rule: an assistant asks for what it still needs, confirms and books. A question for what is known is a fault."""

import random
import tomllib
from dataclasses import dataclass, field

from ..trees import Tree
from .talk import FOLDER, Row, is_held, joined

_TABLES = tomllib.loads((FOLDER / "tasks.toml").read_text("utf-8"))
TASKS: list[Row] = _TABLES["tasks"]
SLOTS: dict[str, Row] = _TABLES["slots"]
PHRASES: dict[str, list[str]] = _TABLES["phrases"]


@dataclass(slots=True)
class Booking:
    """One dialogue in the making: the tree, the task and the values that the user has given."""

    chance: random.Random
    held_out: bool
    tree: Tree = field(default_factory=lambda: Tree("plain task", "task", "plain"))
    task: Row = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)
    last: int = -1
    turn: int = 0

    def some(self, name: str) -> str:
        """Return one of the phrases of that name."""
        return self.chance.choice(PHRASES[name])

    def begin(self, lead: str) -> None:
        """Turn to another task; the user gives up to three values at once."""
        own = [task for task in TASKS if is_held(task["name"]) is self.held_out and task is not self.task]
        self.task, self.known = self.chance.choice(own), {}
        given = self.chance.sample(self.task["slots"], self.chance.choice((0, 1, 1, 2, 2, 3)))
        self.user([lead, self.chance.choice(self.task["wishes"]), *map(self.told_about, given)])

    def told_about(self, slot: str) -> str:
        """Choose the value of a slot, and return the words that give it beside others."""
        self.known[slot] = self.chance.choice(SLOTS[slot]["values"])
        return str(self.chance.choice(SLOTS[slot]["tells"])).format(self.known[slot])

    def user(self, parts: list[str]) -> None:
        """Say the parts as the user."""
        text = " ".join(part for part in parts if part)
        text = text.lower() if self.chance.random() < 0.3 else text
        self.last = self.tree.say(text, self.last, is_user=True, message=self.turn)
        self.turn += 1

    def reply(self, good: str, faulty: list[tuple[str, str]], lead: str | None = None) -> None:
        """Say the good reply, with up to two of the faulty ones beside it."""
        lead = self.some("leads") if lead is None else lead
        before = self.last
        self.last = self.say(joined((lead, good)), before, "original", "none")
        for text, slugs in self.chance.sample(faulty, min(self.chance.choice((0, 1, 1, 2)), len(faulty))):
            self.say(joined((lead, text)), before, "swap", slugs)
        self.turn += 1

    def say(self, text: str, before: int, kind: str, slugs: str) -> int:
        """Say a reply after a message, and return its number."""
        return self.tree.say(
            text, before, is_user=False, message=self.turn, kind=kind, classes=slugs.split(), weight=0.5
        )

    def asked(self, slot: str) -> str:
        """Return a question for a slot."""
        return str(self.chance.choice(SLOTS[slot]["asks"]))

    def again(self) -> list[tuple[str, str]]:
        """Return questions for what the user has said."""
        return [(self.asked(slot), "asks-known") for slot in self.known]

    def shown(self, known: dict[str, str]) -> str:
        """Return values in words."""
        return ", ".join(
            str(self.chance.choice(SLOTS[slot]["shows"])).format(value) for slot, value in known.items()
        )

    def altered(self, form: str) -> tuple[str, str]:
        """Return a confirmation with one value that the user has not given."""
        slot = self.chance.choice(list(self.known))
        other = self.chance.choice(
            [value for value in SLOTS[slot]["values"] if value[:4] != self.known[slot][:4]]
        )
        return form.format(self.shown({**self.known, slot: other})), "contradicts-user"

    def ask(self, slot: str) -> None:
        """Ask for a value that is missing. Beside it, the user's last message may hold that value already."""
        question = self.asked(slot)
        before = self.tree.nodes[self.last]
        value = str(self.chance.choice(SLOTS[slot]["tells"])).format(
            self.chance.choice(SLOTS[slot]["values"])
        )
        holds = self.tree.say(f"{before.text} {value}", before.parent, is_user=True, message=before.message)
        lead = self.some("leads")
        self.say(joined((lead, question)), holds, "context", "asks-known")
        self.reply(question, [*self.again(), *self.again(), (self.some("byes"), "abandons")], lead)
        self.known[slot] = self.chance.choice(SLOTS[slot]["values"])
        said = str(self.chance.choice(SLOTS[slot]["says"])).format(self.known[slot])
        rest = [each for each in self.task["slots"] if each not in self.known]
        more = self.told_about(rest[0]) if rest and self.chance.random() < 0.25 else ""
        self.user([said, more, self.some("tails")])

    def book(self) -> None:
        """Show a result where there is one, confirm, and book."""
        names = self.task["names"]
        if names and self.chance.random() < 0.6:
            other = self.chance.choice([task for task in TASKS if task is not self.task and task["names"]])
            wrong = self.chance.choice(other["results"]).format(self.chance.choice(other["names"]))
            found = self.chance.choice(self.task["results"]).format(self.chance.choice(names))
            self.reply(found, [(wrong, "wrong-kind off-topic wrong-addressee"), *self.again()])
            self.user([self.some("likes")])
        if self.chance.random() < 0.6:
            form = self.some("confirms")
            self.reply(
                form.format(self.shown(self.known)), [self.altered(form), self.altered(form), *self.again()]
            )
            self.user([self.some("agrees")])
        done, last = self.chance.choice(self.task["done"]), self.some("else")
        self.reply(f"{done} {last}".strip(), [*self.again(), self.altered(f"{done} It is {{}}.")])


def booking(chance: random.Random, *, held_out: bool) -> Tree:
    """Return a dialogue about one or two tasks."""
    talk = Booking(chance, held_out)
    lead = chance.choice(("", "", "Hi,", "Hello.", "Hi, could you assist me?", "Please help me."))
    for _ in range(chance.choice((1, 1, 2))):
        talk.begin(lead)
        missing = [slot for slot in talk.task["slots"] if slot not in talk.known]
        for slot in chance.sample(missing, min(3, len(missing))):
            if slot not in talk.known:
                talk.ask(slot)
        talk.book()
        lead = talk.some("more")
    if chance.random() < 0.4:
        talk.user([talk.some("ends")])
        talk.reply(talk.some("byes"), talk.again())
    return talk.tree
