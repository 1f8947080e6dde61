"""Messages of users that ask for something, and those that no reply follows."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from ..domain.conversation import ConversationLog, Message, Role
from ..domain.parts import ImagePart, ItemsPart

_CLAUSE_END = re.compile(r"[.!,;:\n。()\u2013\u2014]+|(?<=\s)(?:but|aber|pero|mais)(?=\s)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_SAID = re.compile(r"[^\s.…·*_~-]")
_REQUEST = re.compile(
    r"[?؟]|\b(?:please|recommend|suggest|(?:show|tell|give|find) (?:me|us))\b|"
    r"(?<!what )(?<!all )(?<!that )(?<!everything )\b(?:i|we)(?:'d| would)? (?:need|want|like to see)\b|\b(?:i'm|am|still|we're) looking for\b",
    re.IGNORECASE,
)
#: Words that begin a clause of thanks or goodbye.
_COURTESY = frozenset(
    """thanks thank thankyou thx ty cheers bye byebye goodbye goodnight farewell cya ciao many
    danke dankeschön vielen tschüss tschüs wiedersehen merci revoir muchas gracias adiós adios muito obrigado obrigada tchau
    grazie arrivederci bedankt dank doei tack hejdå takk kiitos dziękuję dzięki спасибо пока teşekkürler
    谢谢 謝謝 再见 再見 ありがとう ありがとうございます さようなら 감사합니다 고마워요 شكرا धन्यवाद""".split()  # noqa: SIM905
)
#: Words that want nothing by themselves.
_FILLERS = frozenset(
    """ok okay okey oh ah wow cool nice great good perfect awesome excellent wonderful amazing lovely super fine
    right alright well then so just now anyway again really very much a lot the no nope nah yes yeah yep yup sure
    lol haha hm hmm too for your you help it that all them these man later laters""".split()  # noqa: SIM905
)
_YES = frozenset({"yes", "yeah", "yep", "yup", "sure", "ja", "oui", "si", "sí", "sim"})
_GOOD = r"(?:good|great|fine|fair|perfect|nice|lovely|awesome|amazing|wonderful|helpful|interesting|reasonable|fun)"
#: Beginnings of clauses in which the user is content, accepts, leaves, or wishes well.
_CONTENT = re.compile(
    rf"(?:i think |i guess |maybe |then |so |well |ok |okay |oh )?"
    rf"(?:you too|u too|same to you|see (?:you|ya)|take care|have an? |good (?:night|to know|luck|choice|idea)|"
    rf"(?:(?:that|this|it|they)(?:'s| is| was| are)?|those are)? ?(?:sounds? |looks? |seems? )?(?:like )?(?:\w{{1,12}} ){{0,2}}{_GOOD}|"
    r"(?:that|this|it)(?:'s| is) (?:all|it|enough)|(?:that|this|it) (?:works|fits|helps|helped|will do)|"
    r"(?:(?:i|we)(?:'ll| will|'m going to| am going to|'m gonna|'d love to)|gonna|going to) (?:\w{1,12} ){0,3}"
    r"(?:take|go|watch|try|check|buy|get|order|read|see|look|do|stop|leave|add|keep|listen|play|give|pick)\b|"
    r"(?:i|we)(?:'m| am|'re| are) (?:all |so )?(?:good|fine|set|sold|done|happy|glad|convinced|excited|ready)|"
    r"(?:now )?(?:i|we)(?:'ve| have| know)? (?:now )?(?:got |know )?(?:all|everything|enough)\b|"
    r"(?:i|we)(?:'ve| have)? (?:got it|(?:have )?to go|made (?:my|our)|found|love|appreciate)\b|"
    r"(?:(?:i|we)(?:'d| would|'ll| will)? ?(?:(?:like|need|want|have) to )?|let me )(?:think|sleep) (?:about|on|over) (?:it|this|that)\b|"
    r"never ?mind|no (?:problem|worries)|you(?:'re| are) welcome|you(?:'ve| have)? been |"
    r"not (?:now|today)|nothing (?:else|more)|all (?:good|right|set)|got it)",
    re.IGNORECASE,
)


def asks(message: Message) -> bool:
    """Return whether a user's message asks for or wants something, so that a reply is due.

    Any text does, in any language, unless it only thanks, says goodbye or is content. A bare "yes" takes up an offer."""
    text = unicodedata.normalize("NFKC", message.content).replace("\u2019", "'")
    if not text.strip():
        return bool(message.parts)
    words = {word.lower() for word in _WORD.findall(text)}
    if _REQUEST.search(text) or (words and words <= _YES):
        return True
    return any(not _wants_nothing(clause.strip()) for clause in _CLAUSE_END.split(text))


def _wants_nothing(clause: str) -> bool:
    words = [word.lower() for word in _WORD.findall(clause)]
    first = next((word for word in words if word not in _FILLERS), None)
    return first is None or first in _COURTESY or _CONTENT.match(clause) is not None


def is_answer(message: Message) -> bool:
    """Return whether a message is a reply that holds anything: a word, a list, an item or a picture."""
    shows = any(isinstance(part, ItemsPart | ImagePart) for part in message.parts)
    return message.is_reply and bool(_SAID.search(message.content) or message.recommendations or shows)


def unanswered_runs(log: ConversationLog) -> Iterator[tuple[int, ...]]:
    """Yield each run of user messages that asks for something and gets no reply, as indices in `messages`.

    An empty reply is none. A call of a tool shows that a reply is due. At the end of a log only an explicit request counts: people often have the last word. The open end
    of a log that still goes on (`complete` False) is left out."""
    for run, answered, last in _runs(log):
        called = run[-1] + 1 < len(log.messages) and bool(log.messages[run[-1] + 1].calls)
        if not answered and (called or any(_owed(log, index, explicit=last) for index in run)):
            yield run


_NUDGE = re.compile(
    r"\W{0,5}(?:hello{1,9}|hey|hi|anyone|anybody|still there|(?:are )?(?:you|u) there|any (?:news|update|answer|reply)|still waiting|\?{1,9})[^.!]{0,30}",
    re.IGNORECASE,
)
FEWEST_TURNS = 2
"""Other turns of one message each, from which on a user is known to wait for replies."""


def passed_over(log: ConversationLog) -> Iterator[tuple[int, bool]]:
    """Yield each question of a user that another message of theirs follows instead of a reply, and whether that is certain.

    It is certain where the user asks whether anybody is there. Elsewhere it is likely, if every other turn of the user's is a
    single message."""
    runs = [run for run, answered, _ in _runs(log) if answered]
    single = sum(len(run) == 1 for run in runs)
    for run in runs:
        for first, second in pairwise(run):
            question = "?" in log.messages[first].content and asks(log.messages[first])
            if asks(log.messages[first]) and _NUDGE.fullmatch(log.messages[second].content.strip()[:60]):
                yield first, True
            elif question and len(run) == 2 and single == len(runs) - 1 >= FEWEST_TURNS:
                yield first, False


def answered_share(log: ConversationLog) -> float | None:
    """Return the share, 0 to 1, of the user messages with a request that a reply follows before the next user message.

    None where no message asks for anything."""
    answers = [
        answered and index == run[-1] for run, answered, _ in _runs(log) for index in run if _owed(log, index)
    ]
    return sum(answers) / len(answers) if answers else None


def _owed(log: ConversationLog, index: int, *, explicit: bool = False) -> bool:
    message = log.messages[index]
    owed = index != _accepting(log) and asks(message)
    return owed and (not explicit or bool(_REQUEST.search(message.content)))


def _accepting(log: ConversationLog) -> int | None:
    """Return the index of the message that accepts a recommendation: the one that `outcome` names, else the user's last."""
    if log.outcome is None or not log.outcome.accepted:
        return None
    users = (index for index, message in enumerate(log.messages) if message.role is Role.USER)
    return log.outcome.message if log.outcome.message is not None else max(users, default=None)


def _runs(log: ConversationLog) -> Iterator[tuple[tuple[int, ...], bool, bool]]:
    """Yield the runs of user messages that stand between replies, whether a reply with content follows, and whether the log
    ends with the run: no empty reply follows it, and no call of a tool either, which shows that a reply was due."""
    run: list[int] = []
    empty = False  # an empty reply or a call came, and nothing since
    for index, message in enumerate(log.messages):
        if message.role is Role.USER and message.is_seen:
            if empty and run:
                yield tuple(run), False, False
                run = []
            run, empty = [*run, index], False
        elif is_answer(message):
            if run:
                yield tuple(run), True, False
            run, empty = [], False
        elif message.is_reply or message.calls:
            empty = True
    if run and (log.complete or empty):
        yield tuple(run), False, not empty
