"""Write a pair by hand: a real conversation, and the same with a fault that somebody types."""

import json
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import typer
from pydantic import ValidationError

from ...exams.pair import pair_errors
from ...faults import load_faults
from ...usecases.wire.exam import ExamPair
from ...usecases.wire.log import Log
from ..exits import CommandError
from ..inputs import Json, objects, read_logs

NO_REPLY = "no-reply"


def make_pair(path: str, out: Path) -> None:
    """Show a conversation's replies, ask for the reply, the fault and the faulty text, and add the checked pair to `out`.

    Raises CommandError for a file without exactly one conversation, for a pair that the exam would refuse, and for `out` at `path`."""
    if Path(path).resolve() == out.resolve():
        raise CommandError(f"{path} is the conversation. Name another file with --out.")
    name, log = _conversation(path)
    try:
        pair = _asked(name, log, path, out)
    except typer.Abort:
        raise CommandError("The input ended before the pair was complete. Nothing was added.") from None
    for error in pair_errors(ExamPair.model_validate(pair).value(), load_faults()):
        raise CommandError(f"{error.pointer}: {error.detail}; {error.fix}.")
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(pair, ensure_ascii=False) + "\n")
    typer.echo(f"The pair {pair['id']} is in {out}.", err=True)


def _asked(name: str, log: Log, path: str, out: Path) -> Json:
    messages = [one.model_dump(mode="json", exclude_none=True) for one in log.messages]
    replies = [str(index) for index, one in enumerate(messages) if one["role"] == "assistant"]
    if not replies:
        raise CommandError(f"{path}: the conversation has no reply that could get a fault.")
    for index, one in enumerate(messages):
        typer.echo(f"[{index}] {one['role']}: {one['content']}", err=True)
    number = f"Type the number of a reply: {', '.join(replies)}."
    only = replies[0] if len(replies) == 1 else None
    at = int(_ask("Reply to spoil", replies.__contains__, number, default=only))
    faults = load_faults()
    fault = _ask("Fault (GET /faults lists them)", faults.__contains__, f"Type one of {', '.join(faults)}.")
    typer.echo(f"{fault}: {faults[fault].definition}", err=True)
    bad = [*messages[:at], *_spoiled(messages[at], fault), *messages[at + 1 :]]
    return {
        "id": _free_id(f"{name}-{fault}", out),
        **log.model_dump(mode="json", exclude_none=True, include={"domain", "items", "user"}),
        "fault": fault,
        "message": at,
        "good": messages,
        "bad": bad,
    }


def _conversation(path: str) -> tuple[str, Log]:
    sources, _ = read_logs([path])
    if len(sources) != 1:
        raise CommandError(f"{path} contains {len(sources)} conversations. Pass a file with one.")
    try:
        return sources[0].conversation, Log.model_validate(sources[0].log)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise CommandError(f"{sources[0].place}: {place}: {error.errors()[0]['msg']}.") from None


def _spoiled(message: Json, fault: str) -> Sequence[Json]:
    """Return the faulty reply; none for a missing one. Parts and lists stay as they are, text parts give way to the text."""
    if fault == NO_REPLY:
        return ()
    good = message["content"].strip()
    other = "Type a text that differs from the good reply."
    text = _ask("The reply with the fault", lambda text: text not in ("", good), other)
    parts = [part for part in message.get("parts", ()) if part["type"] != "text"]
    kept = {name: value for name, value in message.items() if name != "parts"}
    return ({**kept, "content": text, **({"parts": parts} if parts else {})},)


def _free_id(stem: str, out: Path) -> str:
    made = objects([str(out)]) if out.is_file() and out.stat().st_size else []
    taken = {entry.get("id") for entry in made}
    return next(id_ for number in count(1) if (id_ := f"{stem}-{number}") not in taken)


def _ask(question: str, accepts: Callable[[str], bool], otherwise: str, default: str | None = None) -> str:
    """Ask until an answer is accepted; `otherwise` says what to type."""

    def read(text: str) -> str:
        if not accepts(text.strip()):
            raise typer.BadParameter(otherwise)
        return text.strip()

    return str(typer.prompt(question, value_proc=read, default=default, err=True))
