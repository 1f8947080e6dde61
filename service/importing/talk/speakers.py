"""Speakers by the names that other formats have for the two who talk, their tools and their instructions."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from ..imported import SpeakerError, UnreadableError


class Speaker(StrEnum):
    """The author of a message. Logs hold what users and assistants write."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    INSTRUCTION = "instruction"


_NAMES: Mapping[Speaker, Sequence[str]] = {
    Speaker.USER: (
        "user", "human", "seeker", "customer", "client", "initiator", "shopper", "visitor", "guest", "listener", "enduser",
        "incoming", "inbound",
    ),
    Speaker.ASSISTANT: (
        "assistant", "asst", "agent", "bot", "chatbot", "gpt", "chatgpt", "ai", "model", "recommender", "system", "crs",
        "respondent", "virtualassistant", "apimessage", "outgoing", "outbound",
    ),
    Speaker.TOOL: ("tool", "function", "observation", "toolresult", "ipython"),
    Speaker.INSTRUCTION: ("developer", "instruction", "instructions", "systemmessage", "systemprompt"),
}  # fmt: skip
SPEAKERS = {name: speaker for speaker, names in _NAMES.items() for name in names}
"""Speakers by the names that other formats give them. A chat's `system` may be its instruction: `system_talks` looks at who answers."""
_WORDS: Mapping[Speaker, Sequence[str]] = {
    Speaker.USER: (
        "me", "you", "caller", "buyer", "asker", "patron", "traveller", "traveler", "consumer", "member", "questioner",
        "kunde", "kundin", "nutzer", "nutzerin", "benutzer", "käufer", "anrufer", "gast",
        "cliente", "usuario", "usuaria", "comprador", "utente", "usuário", "utilizador", "comprador",
        "utilisateur", "utilisatrice", "acheteur", "gebruiker", "klant", "klient", "пользователь", "клиент",
        "покупатель", "клієнт", "müşteri", "kund", "zákazník", "zákaznice", "πελάτης", "χρήστης", "المستخدم", "العميل", "کاربر", "مشتری",
        "משתמש", "לקוח", "उपयोगकर्ता", "ग्राहक", "ลูกค้า", "用户", "顾客", "客户", "ユーザー", "お客様", "사용자", "고객",
    ),
    Speaker.INSTRUCTION: ("thought", "thoughts"),
    Speaker.ASSISTANT: (
        "seller", "advisor", "adviser", "salesperson", "salesman", "clerk", "concierge", "operator", "representative", "rep",
        "support", "service", "helpdesk", "librarian", "consultant", "llm",
        "berater", "beraterin", "assistent", "assistentin", "verkäufer", "verkäuferin", "kundenservice", "kundendienst",
        "asistente", "vendedor", "vendedora", "agente", "assistente", "commesso", "asesor", "asesora", "atendente",
        "conseiller", "conseillère", "vendeur", "vendeuse", "medewerker", "mitarbeiter", "mitarbeiterin", "verkoper", "doradca",
        "asystent", "ассистент", "бот", "оператор", "продавец", "консультант", "temsilci", "asistan", "säljare", "prodejce", "βοηθός",
        "المساعد", "دستیار", "فروشنده", "בוט", "נציג", "सहायक", "พนักงาน", "助手", "客服", "店员", "アシスタント", "店員", "상담원", "봇",
    ),
}  # fmt: skip
_BY_WORD = {name: speaker for speaker, names in _WORDS.items() for name in names} | SPEAKERS
"""Speakers by a name's last word, for text that is surely a name: a speaker field's value, a transcript's
line."""
_WORD = re.compile(r"[^\W\d_]+")
_OF = frozenset({
    "of", "for", "de", "del", "di", "da", "do", "du", "des", "al", "au", "aux", "ao", "a", "à", "per", "para", "pour", "für", "voor",
})  # fmt: skip
"""Words before those that say more of a speaker: an `agente de soporte` is an agent."""
_HUMP = re.compile(r"(?<=[a-zäöü])(?=[A-ZÄÖÜ])")
_BESIDE = re.compile(r"(?:message|msg)?(?:chunk)?\Z")
_FLAG = re.compile(r"(?:is|from)_?(user|human|customer|bot|agent|assistant|ai)", re.IGNORECASE)
_LONGEST = 40
_MOST_GIVEN = 4
_CHATWOOT = {0: "incoming", 1: "outgoing", 2: "developer", 3: "outgoing"}
"""Speakers by Chatwoot's numbers; its `sender` calls agents users."""
_YES, _NO = frozenset({"true", "1", "yes"}), frozenset({"false", "0", "no"})
FIELDS = (
    "role", "message_type", "from", "speaker", "sender", "participant", "author", "sender_type", "senderType", "author_type",
    "authorType", "sender_name", "type", "event", "direction", "actor",
)  # fmt: skip
"""Fields that name the speaker, the plainest first."""
_OFTEN_OTHER = frozenset({"type", "event", "direction", "message_type"})
"""Ambiguous fields: they name a speaker only if their value is exactly a speaker's name."""


def speaker_field(message: Mapping[str, Any]) -> str | None:
    """The field that names the speaker of a message, one whose name is known before others; None where none does."""
    first = None
    for field in FIELDS:
        name = _name_in(message, field)
        if name is not None and known(name):
            return field
        first = first or (field if name is not None else None)
    return first or next((field for field in message if _flagged(message, field)), None)


def named_speaker(message: Mapping[str, Any]) -> str | None:
    """The name that a message gives its speaker, in lower case where it is that of a role; None where no field names one."""
    field = speaker_field(message)
    return None if field is None else _flagged(message, field) or _name_in(message, field)


def _name_in(message: Mapping[str, Any], field: str) -> str | None:
    value = message.get(field)
    if field == "message_type" and "content_type" in message and isinstance(value, int):
        value = _CHATWOOT.get(value)
    if isinstance(value, Mapping):
        flag = next((found for name in value if (found := _flagged(value, name))), None)
        value = value.get("role") or value.get("type") or flag or value.get("name")
    if not isinstance(value, str) or not value.strip() or (field in _OFTEN_OTHER and not known(value)):
        return None
    plain = value.strip()
    return plain.casefold() if known(plain) else plain


def _flagged(message: Mapping[str, Any], field: str) -> str | None:
    """The speaker whom a field such as `is_bot` names by true or false."""
    flag = _FLAG.fullmatch(field) if isinstance(field, str) else None
    value = str(message[field]).casefold() if flag else ""
    if flag is None or value not in _YES | _NO:
        return None
    is_user = (SPEAKERS[flag[1].casefold()] is Speaker.USER) == (value in _YES)
    return Speaker.USER if is_user else Speaker.ASSISTANT


def known(name: str) -> bool:
    """Return whether this name clearly means one speaker in any field."""
    return _exact(name) is not None


@lru_cache(maxsize=1024)
def _exact(name: str) -> Speaker | None:
    """The speaker of exactly this name, however it is written: `End-User`, `user_message`, `AIMessageChunk`."""
    if len(name) > _LONGEST:
        return None
    plain = re.sub(r"[\s_-]", "", name).casefold()
    return SPEAKERS.get(plain) or SPEAKERS.get(_BESIDE.sub("", plain, count=1))


@lru_cache(maxsize=1024)
def speaker_by_words(name: str) -> Speaker | None:
    """The speaker whom the last word of a name means: a customer agent is an agent. None where words before it mean the
    assistant, and it means the user: a `service client` is none."""
    if len(name) > _LONGEST:
        return None
    words = _WORD.findall(_HUMP.sub(" ", name).casefold())
    if len(words) > 1 and len(words[-1]) == 1:  # Bot A, Bot B
        words.pop()
    words = words[: next((at for at, word in enumerate(words) if at and word in _OF), None)]
    *before, last = [_BY_WORD.get(word) for word in words] or [None]
    unclear = last is Speaker.USER and Speaker.ASSISTANT in before
    return _exact(name) or (None if unclear else last)


def speaker_of(name: object, *, system_talks: bool = True) -> Speaker:
    """The speaker whom a name means. Raises SpeakerError for whom nobody knows."""
    if name is None:
        raise UnreadableError("a message does not show who speaks")
    plain = str(name).strip()
    if plain.casefold() == "system" and not system_talks:
        return Speaker.INSTRUCTION
    speaker = speaker_by_words(plain)
    if speaker is None:
        raise SpeakerError([plain])
    return speaker


def other_side(names: Sequence[str | None]) -> Speaker | None:
    """Return the unknown name's role, if all others have the other role. Raises SpeakerError, with all names,
    if it is unclear who speaks."""
    listed = list(dict.fromkeys(name for name in names if name))
    roles = [speaker_by_words(name) for name in listed]
    sides = {role for role in roles if role in (Speaker.USER, Speaker.ASSISTANT)}
    if None not in roles:
        alike = [name for name, role in zip(listed, roles, strict=True) if role in sides]
        if len(sides) == 1 and len(alike) > 1 and not all(map(known, alike)):  # User 1, User 2
            raise SpeakerError(listed)
        return None
    if len(sides) != 1 or roles.count(None) > 1:
        raise SpeakerError(listed)
    return Speaker.ASSISTANT if Speaker.USER in sides else Speaker.USER


def roles_example(names: Sequence[str], given: Mapping[str, str] = MappingProxyType({})) -> str:
    """An option that gives each of these names a role, from the names as they come; `given` are roles by names in
    lower case. The assistant is who sounds like a bot or a shop, else who speaks most often of many, else the second."""
    counts = Counter(names)
    guesses = {name: given.get(name.casefold()) or _guess(name) for name in counts}
    if not given and None not in guesses.values() and len({*guesses.values()}) == 1:
        guesses = dict.fromkeys(counts)
    if list(guesses.values()).count(Speaker.ASSISTANT) > 1:  # an instruction, or a program's notices
        guesses.pop("system", None)
        counts.pop("system", None)
    unclear = [name for name in counts if guesses[name] is None]
    if Speaker.USER in guesses.values():
        guesses.update(dict.fromkeys(unclear, Speaker.ASSISTANT))
    elif unclear and Speaker.ASSISTANT not in guesses.values():
        often = max(unclear, key=lambda name: counts[name])
        guesses[often if len(unclear) > 2 else unclear[-1]] = Speaker.ASSISTANT
    if len(counts) > _MOST_GIVEN and Speaker.ASSISTANT in guesses.values():  # who talks with them is the user
        guesses = {name: guess for name, guess in guesses.items() if guess is Speaker.ASSISTANT}
    pairs = ",".join(f"{name}={guess or Speaker.USER}" for name, guess in list(guesses.items())[:_MOST_GIVEN])
    return f"--roles {quoted(pairs)}"


def _guess(name: str) -> Speaker | None:
    plain = name.casefold()
    sounds = re.search(r"bot\b|bot\d|shop|store|team|admin|staff", plain)
    return speaker_by_words(name) or (Speaker.ASSISTANT if sounds else None)


def quoted(text: str) -> str:
    """A value of an option as a shell takes it."""
    return f"'{text}'" if any(sign in text for sign in " ();&|<>$*?#") else text


def system_talks(names: Sequence[str | None]) -> bool:
    """Return whether `system` is the recommender, who answers the user, and no instruction: as in USER/SYSTEM logs."""
    speakers = [speaker_by_words(name or "") for name in names]
    others = {speaker for name, speaker in zip(names, speakers, strict=True) if name != "system"}
    if Speaker.ASSISTANT in others:
        return False
    first = next((at for at, speaker in enumerate(speakers) if speaker in (Speaker.USER, None)), len(names))
    return "system" in names[first:]
