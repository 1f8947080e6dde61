"""A small attribute-based recommender: it asks for attributes, recommends what fits, explains why.

It keeps nothing between two replies: everything is read back from the messages. `weaknesses`
switch on what such systems get wrong, so that an evaluation can be seen to notice.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

WEAKNESSES = ("never-asks", "repeats-itself", "ignores-rejections", "invents-items", "oversells")
ENOUGH_WISHES = 2
MOST_QUESTIONS = 3
LIST_LENGTH = 5

SYNONYMS = {
    "sci-fi": "science fiction",
    "funny": "comedy",
    "laugh": "comedy",
    "scary": "horror",
    "love story": "romance",
    "romantic comedy": "comedy",
    "suspense": "thriller",
    "cartoon": "animation",
    "riddle": "mystery",
    "japanese food": "japanese",
    "pasta": "italian",
    "curry": "indian",
    "tacos": "mexican",
    "no meat": "vegetarian",
    "budget": "cheap",
    "upmarket": "expensive",
}
QUESTIONS = {
    "genre": "Which genre are you in the mood for: comedy, drama, thriller or something else?",
    "mood": "Should the mood be cheerful, quiet, playful, tense or dark?",
    "decade": "Do you prefer something new, or a certain decade?",
    "director": "Is there a director whose work you like?",
    "cuisine": "Which cuisine would you like: italian, thai, greek or another?",
    "price": "What price range do you have in mind: cheap, moderate or expensive?",
    "setting": "Should the place be quiet, lively, romantic or family-friendly?",
    "diet": "Is there any diet to keep in mind, such as vegan or gluten-free?",
    "ingredient": "Is there an ingredient that you would love to have?",
}
OFFERS = ("I recommend {}.", "My suggestion is {}.", "Then {} could be right for you.")
ONWARD = (
    "Does that suit you, or shall I look in another direction?",
    "Would you like to hear more about it?",
    "What else matters to you?",
)
RESTAURANT_WORDS = re.compile(
    r"\b(?:restaurant|eat|dinner|lunch|food|table for|cuisine|hungry)\b", re.IGNORECASE
)
FILM_WORDS = re.compile(r"\b(?:film|movie|watch|cinema|director|genre)s?\b", re.IGNORECASE)
REFUSAL = re.compile(
    r"\b(?:no|not|never|turned|missing|already|closer)\b|n['\u2019]t\b|would be fine if", re.IGNORECASE
)
ANOTHER = re.compile(r"\b(?:something else|another|different|any other|anything else)\b", re.IGNORECASE)
FAREWELL = re.compile(
    r"\b(?:thanks|thank you|bye|goodbye)\b|i'll (?:take|watch|try|stop|look elsewhere)", re.IGNORECASE
)
NOTHING_MORE = re.compile(
    r"no preference|nothing else|that's all|told you everything|any is fine", re.IGNORECASE
)
NEGATORS = {"no", "not", "without", "never", "isn't", "don't", "doesn't", "hate", "except"}


def weakness(text: str, known: Sequence[str]) -> tuple[str, float]:
    """A weakness and its strength: `invents-items:0.33` shows in about a third of the replies, and of
    rejections that share is never heard; without a number in all. Raises ValueError for what is none."""
    name, colon, share = text.partition(":")
    if name not in known:
        raise ValueError(f"{name!r} is no weakness; there are {', '.join(known)}")
    try:
        strength = float(share) if colon else 1.0
    except ValueError:
        strength = -1.0
    if not 0 <= strength <= 1:
        raise ValueError(f"the share in {text!r} is no number from 0 to 1; write, for example, {name}:0.33")
    return name, strength


def chance(name: str, messages: Sequence[dict[str, str]]) -> float:
    """A number from 0 to 1 that is always the same for the same conversation so far."""
    said = "\n".join(message["content"] for message in messages)
    return int.from_bytes(hashlib.sha256(f"{name}\n{said}".encode()).digest()[:4], "big") / 2**32


@dataclass(frozen=True)
class Item:
    """One line of a catalogue."""

    id: str
    title: str
    attributes: dict[str, list[str]]
    description: str
    popularity: float

    @property
    def name(self) -> str:
        """The title without its year."""
        return re.sub(r"\s*\(\d{4}\)$", "", self.title)

    @property
    def values(self) -> list[str]:
        return [value for values in self.attributes.values() for value in values]


@dataclass(frozen=True)
class Reply:
    content: str
    recommendations: list[str] = field(default_factory=list)


@dataclass
class State:
    """The state that the messages show: wishes by value, what is not wanted, which items are out."""

    wants: dict[str, str] = field(default_factory=dict)
    unwanted: set[str] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)
    ignored: set[str] = field(default_factory=set)
    deaf: bool = False  # to the last rejection
    asked: list[str] = field(default_factory=list)
    recommended: list[Item] = field(default_factory=list)
    done_telling: bool = False


def load_items(folder: Path) -> dict[str, list[Item]]:
    """The catalogues of a folder by the stem of their file."""
    return {
        path.stem: [Item(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in sorted(folder.glob("*.jsonl"))
    }


class Recommender:
    """Answers a conversation so far with the next reply."""

    def __init__(self, catalogues: dict[str, list[Item]], strengths: Mapping[str, float]) -> None:
        self.catalogues = catalogues
        self.strengths = strengths

    def reply(self, messages: Sequence[dict[str, str]]) -> Reply:
        """The next reply to messages `{role, content}`."""
        shown = {
            name: strength
            for name, strength in self.strengths.items()
            if name == "ignores-rejections" or chance(name, messages) < strength
        }
        return Recommender(self.catalogues, shown)._reply(messages)

    def _reply(self, messages: Sequence[dict[str, str]]) -> Reply:
        items = self.catalogues[self._domain(messages)]
        state = self._read(messages, items)
        last = messages[-1]["content"] if messages and messages[-1]["role"] == "user" else ""
        if "repeats-itself" in self.strengths and state.recommended:
            first = next(m for m in messages if m["role"] == "assistant" and _named(m["content"], items))
            return Reply(first["content"], self._list(items, state, state.recommended[0]))
        if FAREWELL.search(last):
            return Reply("You're welcome. Enjoy, and come back any time!")
        about = _named(last, items)
        if about and "?" in last and not self._refuses(about[0], last):
            return self._explain(about[0], last, state, items)
        if "invents-items" in self.strengths and (invented := _quoted_before(messages)) and invented in last:
            top = self._ranked(items, state)[0]
            return Reply(
                f"Yes, {invented} is {_phrased(top)}. {self._onward(0)}", self._list(items, state, top)
            )
        if (dimension := self._question(state, items)) is not None:
            return Reply(f"{_noted(state, last, items)}{QUESTIONS[dimension]}")
        return self._recommend(state, items, len(messages))

    def _domain(self, messages: Sequence[dict[str, str]]) -> str:
        said = " ".join(m["content"] for m in messages if m["role"] == "user")
        score = {name: len(_wishes(said, items)) for name, items in self.catalogues.items()}
        score["restaurants"] += 2 * len(RESTAURANT_WORDS.findall(said))
        score["films"] += 2 * len(FILM_WORDS.findall(said))
        return max(score, key=lambda name: (score[name], name == "films"))

    def _read(self, messages: Sequence[dict[str, str]], items: Sequence[Item]) -> State:
        state = State()
        for number, message in enumerate(messages):
            if message["role"] == "assistant":
                state.recommended += [
                    i for i in _named(message["content"], items) if i not in state.recommended
                ]
                state.asked += [d for d, question in QUESTIONS.items() if question in message["content"]]
                continue
            text = message["content"]
            # A "no" that is not heard stays unheard.
            strength = self.strengths.get("ignores-rejections", 0.0)
            deaf = chance("ignores-rejections", messages[: number + 1]) < strength
            for value, (dimension, wanted) in _wishes(text, items).items():
                if wanted or deaf:
                    state.wants[value] = dimension
                else:
                    state.unwanted.add(value)
                    state.wants.pop(value, None)
            state.done_telling = state.done_telling or bool(NOTHING_MORE.search(text))
            refused = {item.id for item in _named(text, items) if self._refuses(item, text)}
            if ANOTHER.search(text) and state.recommended:
                refused.add(state.recommended[-1].id)
            if refused:
                state.deaf = deaf
            (state.ignored if deaf else state.rejected).update(refused)
        return state

    @staticmethod
    def _refuses(item: Item, text: str) -> bool:
        sentences = re.split(r"(?<=[.!?])\s+", text)
        return any(
            REFUSAL.search(sentence) for sentence in sentences if item.name.lower() in sentence.lower()
        )

    def _question(self, state: State, items: Sequence[Item]) -> str | None:
        """The next dimension to ask for, while too little is known to recommend."""
        if "never-asks" in self.strengths or state.recommended or state.done_telling:
            return None
        if len(state.wants) >= ENOUGH_WISHES or len(state.asked) >= MOST_QUESTIONS:
            return None
        known = {*state.wants.values(), *state.asked}
        return next((d for d in QUESTIONS if d in items[0].attributes and d not in known), None)

    def _ranked(self, items: Sequence[Item], state: State) -> list[Item]:
        def rank(item: Item) -> tuple[float, float]:
            if "oversells" in self.strengths:  # it pushes what sells, whatever is wanted
                return (0.0, item.popularity)
            fits = sum(value in state.wants for value in item.values)
            clashes = sum(value in state.unwanted for value in item.values)
            return (fits - clashes, item.popularity)

        ranked = sorted(items, key=rank, reverse=True)
        if state.deaf:
            pushed = [item for item in state.recommended if item.id in state.ignored][:1]
            return pushed + [item for item in ranked if item not in pushed and item.id not in state.rejected]
        return [item for item in ranked if item.id not in state.rejected] or ranked

    def _list(self, items: Sequence[Item], state: State, top: Item) -> list[str]:
        rest = [item for item in self._ranked(items, state) if item is not top]
        return [item.title for item in [top, *rest][:LIST_LENGTH]]

    def _recommend(self, state: State, items: Sequence[Item], turn: int) -> Reply:
        top = self._ranked(items, state)[0]
        shown = self._list(items, state, top)
        if state.deaf:
            return Reply(f"You should really go for {top.title}. {top.name} is what everybody picks.", shown)
        if "invents-items" in self.strengths:
            title = _invented(items, turn)
            return Reply(
                f'I recommend "{title}". {title} is {_listed(list(state.wants) or top.values)}.', shown
            )
        if "oversells" in self.strengths:
            claim = _listed(list(state.wants) or top.values)
            words = (
                f"{top.title} is the best that you will ever find! It is perfect in every way: it is {claim}."
            )
            return Reply(f"{words} Everybody loves it, so do not miss it!", shown)
        words = f"{OFFERS[turn // 2 % len(OFFERS)].format(top.title)} {self._described(top, state)} {top.description}"
        return Reply(f"{words} {self._onward(turn)}".strip(), shown)

    def _described(self, item: Item, state: State) -> str:
        fits = [value for value in state.wants if value in item.values]
        lacks = [value for value in state.wants if value not in item.values]
        said = f"It is {_phrased(item)}" + (
            f", which matches what you asked for: {_listed(fits)}." if fits else "."
        )
        return f"{said} To be honest, it does not match the rest: {_listed(lacks)}." if lacks else said

    def _explain(self, item: Item, question: str, state: State, items: Sequence[Item]) -> Reply:
        asked = list(_wishes(question, items))
        shown = self._list(items, state, item)
        if "oversells" in self.strengths:
            claim = _listed(asked or list(state.wants))
            return Reply(f"Yes, absolutely! {item.name} is {claim}, and simply unbeatable.", shown)
        granted = [value for value in asked if value in item.values]
        denied = [value for value in asked if value not in item.values]
        words = [f"Yes, it matches {_listed(granted)}."] if granted else []
        words += [f"{item.name} does not match this: {_listed(denied)}."] if denied else []
        words += [f"{item.name} is {_phrased(item)}.", item.description, self._onward(len(question))]
        return Reply(" ".join(words).strip(), shown)

    def _onward(self, turn: int) -> str:
        """A question that leads the user on; none from a recommender that never asks."""
        return "" if "never-asks" in self.strengths else ONWARD[turn // 2 % len(ONWARD)]


def _phrased(item: Item) -> str:
    """Return what an item is, in a phrase: "a quiet drama and mystery film by Ida Vantongeren from the
    1990s"."""
    known = {dimension: _listed(values) for dimension, values in item.attributes.items()}
    if "genre" in known:
        phrase = f"{known['mood']} {known['genre']} film by {known['director']} from the {known['decade']}"
    else:
        phrase = f"{known['setting']} {known['cuisine']} restaurant with {known['price']} prices, "
        phrase += f"{known['diet']} dishes and a lot of {known['ingredient']}"
    return f"{'an' if phrase[0] in 'aeiou' else 'a'} {phrase}"


def _wishes(text: str, items: Sequence[Item]) -> dict[str, tuple[str, bool]]:
    """The attribute values that a text speaks of: their dimension, and whether they are wanted."""
    dimensions = {value: d for item in items for d, values in item.attributes.items() for value in values}
    words = {value.lower(): value for value in dimensions}
    words |= {
        synonym: value for synonym, value in SYNONYMS.items() if value in dimensions and synonym not in words
    }
    found: dict[str, tuple[str, bool]] = {}
    for word, value in words.items():
        match = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE)
        if match:
            before = re.split(r"[.!?,;:]", text[: match.start()])[-1].lower().split()[-3:]
            found[value] = (dimensions[value], not NEGATORS & set(before))
    return found


def _named(text: str, items: Sequence[Item]) -> list[Item]:
    lowered = text.lower()
    return sorted(
        (item for item in items if item.name.lower() in lowered),
        key=lambda item: lowered.find(item.name.lower()),
    )


def _noted(state: State, last: str, items: Sequence[Item]) -> str:
    fresh = [value for value, (_, wanted) in _wishes(last, items).items() if wanted and value in state.wants]
    return f"Noted: {_listed(fresh)}. " if fresh else ""


def _listed(values: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(values[:-1]), values[-1]))) if values else ""


def _quoted_before(messages: Sequence[dict[str, str]]) -> str | None:
    """The title that an earlier reply put in quotes."""
    said = [
        match
        for m in messages
        if m["role"] == "assistant"
        for match in re.findall(r'"([^"]+)"', m["content"])
    ]
    return said[-1] if said else None


def _invented(items: Sequence[Item], turn: int) -> str:
    """A title that no catalogue holds: the head of one item's title with the tail of another's."""
    names = [item.name.split() for item in items if len(item.name.split()) > 1]
    titles = {item.name for item in items}
    pairs = (
        " ".join((*names[(turn + i) % len(names)][:-1], names[(turn + i + 7) % len(names)][-1]))
        for i in range(len(names))
    )
    return next(title for title in pairs if title not in titles)
