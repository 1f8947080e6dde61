"""ReDial (Li et al. 2018): JSON Lines with `movieMentions`; `@123` in a text stands for a film."""

import html
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..entries import Entry
from ..format import Format, Line, per_entry
from ..imported import Imported, UnreadableError, Wanted, fields_of, need
from ..talk.conversation import Conversation
from ..talk.labels import Label
from ..talk.leftovers import Leftovers
from ..talk.speakers import Speaker
from ..talk.threads import whole
from ..talk.utterances import Utterance

_READ = (
    "conversationId", "messages", "initiatorWorkerId", "respondentWorkerId", "movieMentions", "initiatorQuestions",
)  # fmt: skip
_READ_OF_MESSAGES = ("senderWorkerId", "text", "messageId", "timeOffset")
_MENTION = re.compile(r"@(\d{1,9})")


def _fits(value: Any) -> bool:
    return isinstance(value, Mapping) and "respondentWorkerId" in value and "messages" in value


def _read(entry: Entry, wanted: Wanted) -> Imported:
    value, leftovers = entry.value, Leftovers()
    said = need(value, "messages", list)
    seeker, recommender = (need(value, name, int) for name in ("initiatorWorkerId", "respondentWorkerId"))
    mentions = fields_of(value.get("movieMentions"), "movieMentions")
    titles = {str(key): str(title).strip() for key, title in mentions.items() if title}
    name = str(need(value, "conversationId", (str, int)))
    speakers = {seeker: Speaker.USER, recommender: Speaker.ASSISTANT}
    told = fields_of(value.get("initiatorQuestions"), "initiatorQuestions")
    answers = {key: fields_of(answer, "initiatorQuestions") for key, answer in told.items()}
    suggested = {key: answer for key, answer in answers.items() if answer.get("suggested") == 1}
    liked = [titles[key] for key, answer in suggested.items() if answer.get("liked") == 1 and key in titles]
    share = sum(answer.get("liked") == 1 for answer in suggested.values()) / max(len(suggested), 1)
    return Conversation(
        entry.place,
        [_utterance(message, speakers, titles, leftovers) for message in said],
        id=name,
        labels=whole([Label("liked_suggestions", share, "seeker")] if suggested else []),
        metadata=leftovers.keep(value, _READ),
        fields={"system": "human", "domain": "movie", "ground_truth": liked},
    ).imported(wanted, leftovers)


def _utterance(
    message: Any, speakers: Mapping[int, Speaker], titles: Mapping[str, str], leftovers: Leftovers
) -> Utterance:
    sender = need(message, "senderWorkerId", int)
    if sender not in speakers:
        raise UnreadableError(f"message {message.get('messageId')} is by neither of the two workers")
    text = need(message, "text", str)
    named = _MENTION.sub(lambda found: titles.get(found[1], found[0]), text)
    id_ = message.get("messageId")
    return Utterance(
        speakers[sender],
        html.unescape(named),
        id=None if id_ is None else str(id_),
        metadata=leftovers.keep(message, _READ_OF_MESSAGES, "messages."),
    )


def _sample(said: Sequence[Line]) -> str:
    messages = [
        {"messageId": number, "timeOffset": number * 9, "senderWorkerId": 5 if role == "user" else 9,
         "text": html.escape(text, quote=False).replace("@", "&#64;")}
        for number, (role, text) in enumerate(said, 1)
    ]  # fmt: skip
    answers = {"77": {"suggested": 1, "liked": 1, "seen": 0}}
    conversation = {
        "conversationId": "391", "initiatorWorkerId": 5, "respondentWorkerId": 9,
        "movieMentions": {"77": "Paper Lanterns (2009)"}, "initiatorQuestions": answers, "respondentQuestions": answers,
        "messages": messages,
    }  # fmt: skip
    return json.dumps(conversation) + "\n"


FORMAT = Format(
    name="redial",
    reads="ReDial's JSON Lines; titles stand in place of `@123`; what the seeker liked is `ground_truth`",
    described="https://redialdata.github.io/website/datasheet",
    fits=_fits,
    read=per_entry(_read),
    sample=_sample,
)
