"""ReDial (Li et al. 2018): JSON Lines with `movieMentions`; `@123` in a text stands for a film."""

import html
import re
from collections.abc import Mapping
from typing import Any

from ..inputs import Entry, Json
from .imported import (
    Imported,
    UnreadableError,
    Wanted,
    log_of,
    need,
    per_entry,
    rating,
    unread,
    unread_messages,
)

_READ = (
    "conversationId", "messages", "initiatorWorkerId", "respondentWorkerId", "movieMentions", "initiatorQuestions",
)  # fmt: skip
_READ_OF_MESSAGES = ("senderWorkerId", "text", "messageId")
_MENTION = re.compile(r"@(\d+)")


def _read(entry: Entry, wanted: Wanted) -> Imported:
    value = entry.value
    said = need(value, "messages", list)
    seeker, recommender = (need(value, name, int) for name in ("initiatorWorkerId", "respondentWorkerId"))
    mentions = value.get("movieMentions") or {}  # an empty list where there is none
    titles = {str(key): str(title).strip() for key, title in dict(mentions).items() if title}
    name = str(need(value, "conversationId", str | int))  # type: ignore[arg-type]
    roles = {seeker: "user", recommender: "assistant"}
    messages = [_message(message, roles, titles) for message in said]
    told = value.get("initiatorQuestions") or {}
    suggested = {key: answer for key, answer in dict(told).items() if answer.get("suggested") == 1}
    liked = [titles[key] for key, answer in suggested.items() if answer.get("liked") == 1 and key in titles]
    log = log_of(
        wanted, id=name, system="human", domain="movie", messages=messages, ground_truth=liked or None
    )
    labels = []
    if suggested:
        share = sum(answer.get("liked") == 1 for answer in suggested.values()) / len(suggested)
        labels = [rating(name, "liked_suggestions", share, "seeker", system=log["system"])]
    return Imported(entry.place, log, labels, unread(value, _READ) + unread_messages(said, _READ_OF_MESSAGES))


def _message(message: Any, roles: Mapping[int, str], titles: Mapping[str, str]) -> Json:
    sender = need(message, "senderWorkerId", int)
    if sender not in roles:
        raise UnreadableError(f"message {message.get('messageId')} is by neither of the two workers")
    text = need(message, "text", str)
    named = _MENTION.sub(lambda found: titles.get(found[1], found[0]), text)
    return {"role": roles[sender], "content": html.unescape(named)}


read_redial = per_entry(_read)
