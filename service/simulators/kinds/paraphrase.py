"""`paraphrase`: one user message in several wordings, each sent to the recommender.

CONCEPT's reliability compares a system's replies to messages that mean the same.
"""

import asyncio
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from rapidfuzz import fuzz

from ...catalogue.catalogue import Catalogue
from ...catalogue.title_guesses import guess_titles
from ...domain.completion import NO_USAGE, Call, ChatMessage, Usage
from ...domain.conversation import ConversationLog, Message, Role
from ...domain.verdict import Flag
from ...errors import InvalidRequest
from ...prompts import neutralise, render
from ...text.words import sentences, title_key
from ..asker import Asker, Unanswered, prompt
from ..form import Form, junk_in
from ..guard import names
from ..kind import Backend, Example, Kind, Setting
from ..offers import ItemLookup
from ..phrases import capital, shipped, style_of
from ..recommender import Failure, Recommender, RecommenderFailed, Reply, ReplyLimits, reply_of
from ..scene import Scene
from ..transcript import transcript

MOST = 20
WORDINGS = 3
SAME = 97.0
ATTEMPTS = 60
_QUOTED = re.compile(r"[\"\u201c][^\"\u201c\u201d\n]+[\"\u201d]")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Rewording:
    """The message in other words."""

    text: str
    by_rule: bool
    """Made without a model: exchanged words rather than a new sentence."""


@dataclass(frozen=True, slots=True)
class Rewordings:
    """Rewordings of one message; fewer than asked for where no more could be found."""

    message: str
    wordings: tuple[Rewording, ...]
    flags: tuple[Flag, ...] = ()
    usage: Usage = NO_USAGE
    model: str | None = None


@dataclass(frozen=True, slots=True)
class WordedReply:
    """A recommender's answer to one wording; `failure` says why there is no reply."""

    text: str
    reply: Reply | None
    failure: Failure | None = None
    detail: str | None = None


async def reword(
    log: ConversationLog,
    count: int,
    call: Call,
    *,
    asker: Asker | None = None,
    catalogue: Catalogue | None = None,
    seed: int = 0,
    temperature: float | None = None,
) -> Rewordings:
    """Up to `count` rewordings of the log's last user message, all different.

    With an `asker` a model writes them; those that change a title or a number, or say the same
    again, are dropped, and rules fill up. Rules turn sentences and add words around them the more often the higher
    the `temperature` is, and at 0 exchange words alone. Raises InvalidRequest without a message to reword."""
    index = last_user_message(log)
    message = log.messages[index].content
    fixed = tuple(_fixed(message, ItemLookup.of(log, catalogue)))

    def fill(kept: Sequence[Rewording]) -> tuple[Rewording, ...]:
        """Add wordings by rule until there are as many as asked for."""
        taken = [wording.text for wording in kept]
        free = 1.0 if temperature is None else temperature
        return (*kept, *_by_rules(message, fixed, count - len(kept), taken, seed=seed, often=free))

    if asker is None:
        return Rewordings(message, fill(()))
    text = render(
        prompt("paraphrase"),
        plural=style_of(log.domain).plural,
        count=str(count),
        conversation=transcript(Scene(replace(log, messages=log.messages[:index]))),
        message=neutralise(message),
    )
    answer = await asker.ask([ChatMessage("user", text)], _Versions, call)
    if isinstance(answer, Unanswered):
        flag = Flag("paraphrase_by_rule", f"the model gave no versions: {answer.detail}")
        return Rewordings(message, fill(()), (flag,), answer.usage)
    sound = _sound(answer.value.versions, message, fixed)
    kept = [Rewording(version, by_rule=False) for version in islice(sound, count)]
    wordings = fill(kept)
    dropped = f"{len(answer.value.versions) - len(kept)} versions of the model were of no use"
    flags = (Flag("paraphrase_by_rule", dropped),) if len(wordings) > len(kept) else ()
    return Rewordings(message, wordings, flags, answer.usage, answer.model)


def last_user_message(log: ConversationLog) -> int:
    """Return where a log's last user message stands. Raises InvalidRequest where there is none."""
    for index in range(len(log.messages) - 1, -1, -1):
        if log.messages[index].role is Role.USER and log.messages[index].content.strip():
            return index
    fix = "end the log with the user message that is to be reworded"
    raise InvalidRequest.at("/log/messages", "the log has no user message to reword", fix)


async def ask_each(
    recommender: Recommender, log: ConversationLog, texts: Sequence[str], call: Call
) -> tuple[WordedReply, ...]:
    """The recommender's reply to each wording of the last user message, what came before it
    unchanged and what came after left out. One that fails does not stop the others."""
    index = last_user_message(log)
    before = (*log.history, *log.messages[:index])

    async def ask(text: str) -> WordedReply:
        try:
            async with asyncio.timeout_at(call.deadline):
                reply = await reply_of(recommender, (*before, Message(Role.USER, text)), ReplyLimits())
        except RecommenderFailed as failed:
            return WordedReply(text, None, failed.code, failed.detail)
        except TimeoutError:
            return WordedReply(text, None, Failure.TIMEOUT, "it did not answer in time")
        return WordedReply(text, reply)

    return tuple(await asyncio.gather(*(ask(text) for text in texts)))


def pairs(replies: Sequence[WordedReply]) -> tuple[tuple[WordedReply, WordedReply], ...]:
    """The pairs that reliability compares: the first wording, the original, with each other one.
    Pairs without both replies are left out."""
    answered = [one for one in replies[1:] if one.reply is not None]
    return tuple((replies[0], other) for other in answered) if replies and replies[0].reply else ()


class _Versions(Form):
    versions: list[str]


def _fixed(message: str, lookup: ItemLookup) -> Iterator[str]:
    """Yield what no rewording may touch: titles, quoted words, numbers."""
    known = lookup.catalogue.find(message) if lookup.catalogue else []
    yield from (mention.surface for mention in known)
    for guess in guess_titles(message):
        if all(guess.end <= mention.start or mention.end <= guess.start for mention in known):
            yield guess.surface
    yield from _QUOTED.findall(message)
    yield from _NUMBER.findall(message)


def _sound(versions: Sequence[str], message: str, fixed: Sequence[str]) -> Iterator[str]:
    """Versions that a user could send, that keep what is fixed and differ from all before."""
    before = [message]
    for version in versions:
        keeps = all(part in version or names(part, version) for part in fixed)
        same_numbers = sorted(_NUMBER.findall(version)) == sorted(_NUMBER.findall(message))
        if junk_in(version) is None and keeps and same_numbers and not _is_said(version, before):
            before.append(version)
            yield version


def _is_said(text: str, before: Sequence[str]) -> bool:
    return any(
        title_key(text) == title_key(other) or fuzz.ratio(text.casefold(), other.casefold()) > SAME
        for other in before
    )


def _by_rules(
    message: str, fixed: Sequence[str], count: int, taken: Sequence[str], *, seed: int, often: float
) -> Iterator[Rewording]:
    """Rewordings by exchanged words, turned sentences and words around them; at most `count`. `often` is the factor of all
    chances."""
    rng = random.Random(f"{seed}/{message}")  # noqa: S311 - a play, not a secret
    before = [message, *taken]
    for _ in range(ATTEMPTS if count > 0 else 0):
        version = _varied(message, fixed, rng, often)
        if title_key(version) in {title_key(other) for other in before}:
            continue
        before.append(version)
        yield Rewording(version, by_rule=True)
        if len(before) - 1 - len(taken) == count:
            return


def _varied(message: str, fixed: Sequence[str], rng: random.Random, often: float) -> str:
    masked, shields = _masked(message, fixed)
    for group in shipped("rewording")["groups"]:
        masked = _exchanged(masked, group, rng)
    parts = [span.of(masked) for span in sentences(masked)]
    if len(parts) > 1 and rng.random() < 0.4 * often and not any(one.rstrip().endswith(":") for one in parts):
        parts = [*parts[1:], parts[0]]
    text = " ".join(parts)
    if rng.random() < 0.5 * often:
        text = _led(rng.choice(shipped("rewording")["openings"]), text)
    if rng.random() < 0.3 * often and not re.search(r"\bthank", text, re.IGNORECASE):
        text += rng.choice(shipped("rewording")["closings"])
    for shield, part in shields:
        text = text.replace(shield, part)
    return text


def _exchanged(text: str, group: Sequence[str], rng: random.Random) -> str:
    """The text with the first spelling of a group that it holds put in another way."""
    for spelling in group:
        found = re.search(rf"\b{re.escape(spelling)}\b", text, re.IGNORECASE)
        if found:
            chosen = rng.choice(group)
            chosen = capital(chosen) if found.group()[:1].isupper() else chosen
            return text[: found.start()] + chosen + text[found.end() :]
    return text


def _masked(message: str, fixed: Sequence[str]) -> tuple[str, list[tuple[str, str]]]:
    """A message with its fixed parts behind signs that no rule touches."""
    shields = []
    for number, part in enumerate(sorted(set(fixed), key=len, reverse=True)):
        shield = chr(0xE000 + number)
        message = message.replace(part, shield)
        shields.append((shield, part))
    return message, shields


def _led(opening: str, text: str) -> str:
    first = text.split(maxsplit=1)[0] if text.split() else ""
    keeps_capital = (
        first in ("I",) or first.startswith(("I'", "I\u2019")) or not first[:1].isascii() or first.isupper()
    )
    return opening + (text if keeps_capital else text[:1].lower() + text[1:])


KIND = Kind(
    name="paraphrase",
    place=50,
    says="rewords the log's last user message, and with a recommender compares its replies (CONCEPT's reliability)",
    backend=Backend.EITHER,
    settings={
        "count": Setting(
            0, MOST, WORDINGS, "how many wordings; 0 asks the recommender with the message as it stands"
        )
    },
    knows=("items",),
    build=None,
    example=Example(
        log={"messages": [{"role": "user", "content": "Could you recommend 2 quiet films?"}]},
        settings={"count": 1},
        answers=[{"versions": ["Do you know 3 quiet films?", "I'd like to see 2 films that are quiet."]}],
        answer={"paraphrases": [{"text": "I'd like to see 2 films that are quiet.", "by_rule": False}]},
        worked="The model's first version changes a number and is dropped. The second keeps the meaning.",
    ),
)
