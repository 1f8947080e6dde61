"""The sheet that annotators fill in: one HTML file that works offline, and the same conversations as CSV."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...domain.conversation import ConversationLog, Message
from ...domain.parts import Card
from ...domain.rubric import Factor, Need
from ..browser_json import script_json
from ..inputs import Json, json_digest
from ..safe_text import cell
from .drawing import Draw
from .item_keys import item_key
from .judged import JudgedLog
from .questions import question, reads

FRAME = Path(__file__).parent.parent.parent / "web" / "page" / "label.html"
_PLACE = "{{sheet}}"
KEY, ANNOTATOR, WANTED, CONVERSATION = "item", "annotator", "wanted", "conversation"
QUESTION_MARK = ": "
"""Between a factor's name and its question at the head of a column."""
_SPEAKERS = {"user": "User", "assistant": "Recommender"}


@dataclass(frozen=True)
class Sheet:
    """Conversations in random order with the questions about them; `repeats` of them come twice."""

    factors: Sequence[Factor]
    items: Sequence[Json]
    repeats: int

    @classmethod
    def of(
        cls,
        judged: Sequence[JudgedLog],
        draws: Iterable[Draw],
        factors: Sequence[Factor],
        repeats: int,
        titles: Mapping[str, str],
    ) -> "Sheet":
        """The sheet of the drawn conversations. `titles` names items by their ids."""
        return cls(factors, [_item(judged[draw.place], draw, factors, titles) for draw in draws], repeats)

    def html(self) -> str:
        """The whole document. What logs say is data in it: its policy lets no other script run."""
        content: Json = {
            "repeats": self.repeats,
            "questions": [question(factor) for factor in self.factors],
            "items": self.items,
        }
        whole = {"id": json_digest(content), **content}
        return FRAME.read_text(encoding="utf-8").replace(_PLACE, script_json(whole))

    def csv(self) -> str:
        """A row a conversation for one annotator, those that come twice included, with an empty cell a factor."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        has_wishes = any(item["wanted"] or item["user"] for item in self.items)
        wishes = [WANTED] if has_wishes else []
        writer.writerow([KEY, ANNOTATOR, *wishes, CONVERSATION, *map(_column, self.factors)])
        again = [{**item, "key": f"{item['key']}.1"} for item in self.items[: self.repeats]]
        later = list(self.items[self.repeats :])
        half = len(later) // 2
        for item in [*self.items[: self.repeats], *later[:half], *_interleaved(later[half:], again)]:
            wanted = "\n".join([*item["wanted"], *item["user"]])
            shown = [wanted] if has_wishes else []
            cells = [item["key"], "", *shown, _transcript(item["log"]), *("" for _ in self.factors)]
            writer.writerow(map(cell, cells))
        return text.getvalue()


def _item(judged: JudgedLog, draw: Draw, factors: Sequence[Factor], titles: Mapping[str, str]) -> Json:
    from ...api.wire.log import Log  # here, since it takes long to load

    record, log = judged.record, Log.model_validate_json(json.dumps(judged.log)).value()
    own = {item.id: item.title for item in (*log.card_items, *log.items) if item.id}
    names = {**titles, **own}
    thoughts = reads(factors, Need.THOUGHTS)
    about = {
        "conversation": record.conversation,
        "system": record.system,
        "digest": judged.digest,
        "probability": draw.probability,
        "stratum": draw.stratum,
        "domain": judged.log.get("domain"),
    }
    return {
        "key": item_key(about),
        "domain": log.domain,
        "log": {
            "history": _seen(log.history, names, thoughts),
            "messages": _seen(log.messages, names, thoughts),
        },
        "wanted": [names.get(name, name) for name in log.ground_truth or ()]
        if reads(factors, Need.GROUND_TRUTH)
        else [],
        "user": _wishes(log) if reads(factors, Need.PREFERENCES) else [],
    }


def _seen(messages: Iterable[Message], titles: Mapping[str, str], thoughts: bool) -> list[Json]:
    return [_message(message, titles, thoughts) for message in messages if message.is_seen]


def _message(message: Message, titles: Mapping[str, str], thoughts: bool) -> Json:
    shown = [_card(card, titles) for card in message.cards]
    made = {"role": message.role.value, "content": message.content, "recommendations": shown}
    if thoughts and message.thoughts:
        made["thoughts"] = message.thoughts
    return made


def _card(card: Card, titles: Mapping[str, str]) -> str:
    title = titles.get(card.reference, card.item.title if card.item else card.reference)
    if card.item is None or card.item.price is None:
        return title
    return f"{title} ({card.item.price:g} {card.item.currency or ''}".rstrip() + ")"


def _wishes(log: ConversationLog) -> list[str]:
    return [*log.user.attributes, *filter(None, [log.user.preferences])] if log.user else []


def _column(factor: Factor) -> str:
    levels = " ".join(f"{level} = {standard}" for level, standard in factor.levels.items())
    return f"{factor.slug}{QUESTION_MARK}{factor.definition} {levels}"


def _transcript(log: Json) -> str:
    lines = []
    for message in (*log["history"], *log["messages"]):
        shown = f" [shown: {'; '.join(message['recommendations'])}]" if message["recommendations"] else ""
        lines.append(f"{_SPEAKERS[message['role']]}: {message['content']}{shown}")
    return "\n".join(lines)


def _interleaved(items: Sequence[Json], more: Sequence[Json]) -> list[Json]:
    """The items with the others spread among them."""
    made = list(items)
    for index in reversed(range(len(more))):
        made.insert((index + 1) * len(items) // (len(more) + 1), more[index])
    return made
