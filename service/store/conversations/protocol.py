"""The place that holds the conversations of `crs-eval live`, as a protocol.

Every method is atomic: a process that dies in the middle leaves all of a step, or nothing of it."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

USERS = re.compile("user-[0-9a-f]{64}(?: user-[0-9a-f]{64})*")
"""Keyed hashes of the users of a conversation, the latest first."""
PREFIX = "crs-eval-live:"
"""The beginning of all names in Redis."""

DELETED = "conversation.deleted"
JUDGED = "conversation.judged"
ALARM = "drift.alarm"
RECOVERED = "drift.recovered"


class Unreachable(Exception):  # noqa: N818 - a state, which passes
    """The place did not answer. The step may or may not have happened: it can be repeated."""


class Full(Unreachable):
    """The place answers, and has no room for anything new."""


@dataclass(frozen=True, slots=True)
class IncomingBatch:
    """Messages of one conversation that arrived together. `messages` maps a key, the same for the same message, to the
    message as JSON; another text under a key that begins with `id:` takes the place of the earlier one; `facts` are other fields of the log, each as JSON,
    and an empty object under the hash of each user. `idle` is how many seconds of quiet end the conversation:
    None where its system is not named here, so that what was said before holds, or else `usual`."""

    conversation: str
    messages: Mapping[str, str]
    facts: Mapping[str, str] = field(default_factory=dict)
    complete: bool = False
    idle: float | None = None
    usual: float = 1800.0


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that waits in the queue: `place` is its name there, `content` what a producer wrote."""

    place: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ClaimedConversation:
    """A conversation that is to be judged now, as revision `revision`. `token` identifies the claim, and `version` counts its
    changes. `messages` stand in the order of arrival, `attempts` counts claims without a result. `unfinished` counts
    earlier judgements while it was in progress. Times are in seconds since 1970."""

    conversation: str
    token: int
    version: int
    revision: int
    attempts: int
    complete: bool
    idle: float
    first: float
    last: float
    now: float
    facts: Mapping[str, str]
    messages: Sequence[str]
    unfinished: int = 0

    @property
    def in_progress(self) -> bool:
        """Return whether it goes on: it is neither complete nor quiet. Clocks of a store may round by a millisecond."""
        return not self.complete and self.now - self.last < self.idle - 0.01


@dataclass(frozen=True, slots=True)
class OutboxEvent:
    """An event on its way to an output. `number` grows from event to event. `unfinished` is that of the claim it came from."""

    place: str
    number: int
    kind: str
    conversation: str
    content: bytes
    unfinished: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The newest of what is known under a name: a short `head` for lists, and all of it. `number` grows from event to event."""

    name: str
    number: int
    head: bytes
    content: bytes


@dataclass(frozen=True, slots=True)
class Level:
    """The amounts that wait: `open` conversations, `due` ones, entries in the queue, events that outputs have not taken, dead
    letters; and the seconds since the oldest due conversation became due."""

    open: int
    due: int
    queued: int
    undelivered: int
    dead_letters: int
    oldest_due: float


def deletion(conversation: str) -> bytes:
    """Return the event of a deletion now."""
    return json.dumps({"conversation": conversation, "at": datetime.now(UTC).isoformat()}).encode()


def parsed(content: bytes) -> dict[str, Any]:
    """Return the JSON object in an entry; an empty one where there is none."""
    try:
        found = json.loads(content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def without(event: bytes, conversation: str) -> bytes | None:
    """Return an alarm without this conversation; None if it does not show it."""
    found = parsed(event) if b'"shown"' in event else {}
    shown = found.get("shown")
    if not isinstance(shown, list) or conversation not in shown:
        return None
    return json.dumps({**found, "shown": [name for name in shown if name != conversation]}).encode()


def conversation_of(post: Mapping[str, Any]) -> str:
    """Return the conversation that an entry names; a whole log names it in `id`. Empty where it names none."""
    return str(post.get("conversation", post.get("id", "")))


def belongs_to(content: bytes, conversation: str) -> bool:
    """Return whether an entry belongs to a conversation. One that cannot be read does where its name occurs in it."""
    if found := parsed(content):
        return conversation_of(found) == conversation
    return conversation.encode() in content or json.dumps(conversation)[1:-1].encode() in content


def named(content: bytes, users: Collection[str]) -> dict[str, Any] | None:
    """Return an entry, letter or judgement that names one of these users; None for others, and for what cannot be read."""
    found = parsed(content)
    user = found.get("user")
    own = str((user.get("id") if isinstance(user, dict) else found.get("user_hash")) or "")
    known = own.split() if USERS.fullmatch(own) else [own]
    return found if conversation_of(found) and any(one in users for one in known) else None


def merged(facts: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a conversation. The id of its user holds every user that it ever had."""
    found = {name: value for text in facts.values() for name, value in json.loads(text).items()}
    user = found.get("user", {})
    if known := dict.fromkeys([*user.get("id", "").split(), *filter(USERS.fullmatch, facts)]):
        found["user"] = {**user, "id": " ".join(known)}
    return found


def letter(conversation: str, facts: Mapping[str, str], messages: Sequence[str]) -> bytes:
    """Return a conversation as a post that can be sent again, or its parts as they are where they cannot be read."""
    try:
        post = {**merged(facts), "messages": [json.loads(text) for text in messages]}
    except (ValueError, AttributeError):
        post = {"facts": dict(facts), "messages": list(messages)}
    return json.dumps({**post, "conversation": conversation}).encode()


class Conversations(Protocol):
    """The place of open conversations. A claim holds for `lease` seconds. Raises Unreachable where it does not answer."""

    @property
    def lease(self) -> float: ...

    async def prepare(self, outputs: Sequence[str]) -> None:
        """Make what is missing, for outputs by these names. Raises ConfigurationError where it could lose conversations."""

    async def put(self, contents: Sequence[bytes]) -> None:
        """Queue what producers wrote: after the return it is safe."""

    async def waiting(self, most: int, patience: float) -> Sequence[Entry]:
        """Entries that no other worker has, those of dead workers included; waits at most `patience` seconds for one."""

    async def take(self, taken: Sequence[tuple[Entry, IncomingBatch]]) -> None:
        """Add entries to their conversations and take them out of the queue. Once or twice is the same."""

    async def set_aside(self, entry: Entry, reason: str) -> None:
        """Move an entry that nobody can read to the dead letters."""

    async def due(self, most: int) -> Sequence[ClaimedConversation]:
        """Claim conversations that are to be judged, for the length of a lease."""

    async def record(self, due: ClaimedConversation, kind: str, content: bytes) -> bool:
        """Keep what was found and pass it to every output, once for each revision. One in progress becomes due again once it is
        quiet. False where the claim no longer holds: the conversation was deleted, or another worker claimed it."""

    async def renew(self, due: ClaimedConversation) -> None:
        """Hold a claim for another lease, where it holds and the conversation did not change."""

    async def give_up(self, due: ClaimedConversation, reason: str) -> None:
        """Move a conversation that cannot be judged to the dead letters; later messages make it due again."""

    async def drop(self, due: ClaimedConversation) -> None:
        """Forget that a conversation is due: it holds nothing to judge."""

    async def tell(self, kind: str, conversation: str, content: bytes) -> None:
        """Pass an event to every output."""

    async def undelivered(self, output: str, most: int, patience: float) -> Sequence[OutboxEvent]:
        """Events for an output that no other worker delivers; waits at most `patience` seconds for one."""

    async def delivered(self, output: str, events: Sequence[OutboxEvent]) -> None:
        """An output took these events."""

    async def bury(self, output: str, event: OutboxEvent, reason: str) -> None:
        """Move an event that an output will never take to the dead letters."""

    async def forget(self, conversation: str) -> None:
        """Delete a conversation from everything here, and tell every output to."""

    async def find(self, users: Collection[str]) -> Sequence[dict[str, Any]]:
        """Return what is here of users by these ids or hashes: open conversations and posts, and judgements."""

    async def expire(self, before: float) -> None:
        """Delete what was shelved or moved to the dead letters before then, in seconds since 1970."""

    async def remaining(self, conversations: Sequence[str]) -> int:
        """Count those that are not judged yet."""

    async def load(self, name: str) -> bytes | None:
        """Return what `save` kept."""

    async def save(self, name: str, value: bytes, before: bytes | None) -> bool:
        """Save a value if the stored one still equals `before`; False if another worker was faster."""

    async def shelve(self, shelf: str, rows: Sequence[Snapshot], most: int) -> None:
        """Put rows on a shelf that holds the `most` newest. An older row, and one of a conversation forgotten since, is left out."""

    async def shelf(self, shelf: str) -> Sequence[bytes]:
        """The heads on a shelf, the newest first."""

    async def shelved(self, shelf: str, name: str) -> bytes | None:
        """All that a shelf holds under a name."""

    async def level(self) -> Level:
        """Count what waits. Raises Full where nothing can be added."""

    async def aclose(self) -> None: ...


async def change(conversations: Conversations, name: str, make: Callable[[bytes | None], bytes]) -> bytes:
    """Replace what `save` kept by what `make` returns for it, again if another worker was faster. Returns the new value."""
    while True:
        before = await conversations.load(name)
        after = make(before)
        if after == before or await conversations.save(name, after, before):
            return after
