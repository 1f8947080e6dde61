"""The sheet that annotators fill in: one HTML file that works offline, and the same conversations as CSV."""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...domain.conversation import Message
from ...domain.parts import Card
from ...domain.rubric import Factor, Need
from ...usecases.wire.log import Log
from ..file_formats import cell, csv_text, script_json
from ..inputs import Json, json_digest, present
from .judged import DrawnConversation, JudgedLog

FRAME = Path(__file__).parent.parent.parent / "web" / "page" / "label.html"
_PLACE = "{{sheet}}"
KEY, ANNOTATOR, WANTED, CONVERSATION = "item", "annotator", "wanted", "conversation"
QUESTION_MARK = ": "
"""Between a factor's name and its question at the head of a column."""
_SPEAKERS = {"user": "User", "assistant": "Recommender"}


@dataclass(frozen=True)
class LabellingSheet:
    """Conversations in random order with the questions about them; the first `repeats` of them come twice."""

    factors: Sequence[Factor]
    items: Sequence[Json]
    repeats: int

    def html(self) -> str:
        """The whole document. What logs say is data in it: its policy lets no other script run."""
        content: Json = {
            "repeats": self.repeats,
            "questions": [_question(factor) for factor in self.factors],
            "items": self.items,
        }
        whole = {"id": json_digest(content), **content}
        return FRAME.read_text(encoding="utf-8").replace(_PLACE, script_json(whole))

    def csv(self) -> str:
        """A row a conversation for one annotator, those that come twice included, with an empty cell a factor."""
        has_wishes = any(item["wanted"] or item["user"] for item in self.items)
        columns = [KEY, ANNOTATOR, *([WANTED] if has_wishes else []), CONVERSATION]
        again = [{**item, "key": f"{item['key']}.1"} for item in self.items[: self.repeats]]
        rows = [
            {
                KEY: item["key"],
                CONVERSATION: cell(_transcript(item["log"])),
                **({WANTED: cell("\n".join([*item["wanted"], *item["user"]]))} if has_wishes else {}),
            }
            for item in [*self.items, *again]
        ]
        for factor in self.factors:
            levels = " ".join(f"{level} = {standard}" for level, standard in factor.levels.items())
            columns.append(f"{factor.slug}{QUESTION_MARK}{factor.definition} {levels}")
        return csv_text(columns, rows)


def _question(factor: Factor) -> Json:
    """The factor as the sheet asks for it, its levels from the best down."""
    return {
        "slug": factor.slug,
        "name": factor.name,
        "question": factor.definition,
        "levels": [{"level": level, "standard": text} for level, text in factor.levels.items()],
        "steps": list(factor.steps),
        "excludes": list(factor.excludes),
        "notes": dict(factor.notes),
    }


def _reads(factors: Sequence[Factor], need: Need) -> bool:
    return any(need in (*factor.needs, *factor.uses) for factor in factors)


def item_key(about: Mapping[str, Any]) -> str:
    """Return what the labels of a conversation will say of it as URL-safe base64 of JSON, without what is None. Annotators are to
    be blind to the system and to the judge, and nobody reads this by chance. It is no secret."""
    text = json.dumps(present(about), ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def key_content(key: str) -> Json | None:
    """Return what a key says; None for a text that is no key."""
    try:
        padded = key + "=" * (-len(key) % 4)
        found = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("conversation"), str) else None


def sheet_item(
    judged: JudgedLog, draw: DrawnConversation, factors: Sequence[Factor], titles: Mapping[str, str]
) -> Json:
    """Return a drawn conversation as the sheet shows it. `titles` are those of a catalogue by their ids."""
    record, log = judged.record, Log.model_validate_json(json.dumps(judged.log)).value()
    own = {item.id: item.title for item in (*log.card_items, *log.items) if item.id}
    names = {**titles, **own}
    thoughts = _reads(factors, Need.THOUGHTS)
    about = {
        "conversation": record.conversation,
        "system": record.system,
        "digest": judged.digest,
        "probability": draw.probability,
        "stratum": draw.stratum,
        "domain": judged.log.get("domain"),
    }
    parts = {"history": log.history, "messages": log.messages}
    wanted = log.ground_truth if _reads(factors, Need.GROUND_TRUTH) else None
    user = log.user if _reads(factors, Need.PREFERENCES) else None
    return {
        "key": item_key(about),
        "domain": log.domain,
        "log": {
            part: [_message(one, names, thoughts) for one in messages if one.is_seen]
            for part, messages in parts.items()
        },
        "wanted": [names.get(name, name) for name in wanted or ()],
        "user": [*user.attributes, *filter(None, [user.preferences])] if user else [],
    }


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


def _transcript(log: Json) -> str:
    lines = []
    for message in (*log["history"], *log["messages"]):
        shown = f" [shown: {'; '.join(message['recommendations'])}]" if message["recommendations"] else ""
        lines.append(f"{_SPEAKERS[message['role']]}: {message['content']}{shown}")
    return "\n".join(lines)
