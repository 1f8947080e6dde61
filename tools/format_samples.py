"""Samples of formats to import: files of our own making, as the section `[sample]` of a format writes one."""

import html
import json
import re
from collections.abc import Mapping, Sequence
from typing import Literal

from service.importing.declared.declaration import Declaration

Line = tuple[Literal["user", "assistant"], str]
"""A role and its words."""
_PLACE = re.compile(
    r"\{(n|nn|next|before|(?:json_)?(?:talk|this|whole)|(?:plain_|in_|html_|json_|csv_)?(?:text|user|assistant))\}"
)


def sample(known: Declaration, said: Sequence[Line]) -> str:
    """The file in a format that says these lines. `user` and `assistant` write a message, or `turn` writes both; `around` holds them all. With
    `call`, each reply is a call of a model that is given the talk before it; `asked` is a call without an answer.

    In them `{text}` (`{user}`, `{assistant}`) is the text as JSON, and `{plain_text}` the text as it is. `{in_text}` is JSON without
    its quotes, `{html_text}` HTML in JSON, `{json_text}` JSON in JSON, `{csv_text}` a cell. `{n}`, `{nn}`, `{next}` and `{before}` are
    numbers. In calls `{talk}` is the messages before, `{this}` the message, `{whole}` both; `{json_talk}` is a list of them as JSON in
    JSON."""
    template = known.sample
    if "turn" in template:
        pairs = zip(said[::2], said[1::2], strict=True)
        turns = [{"user": user[1], "assistant": assistant[1]} for user, assistant in pairs]
        written = [_filled(template["turn"], n, words) for n, words in enumerate(turns)]
    else:
        written = [_filled(template[role], n, {"text": text}) for n, (role, text) in enumerate(said)]
    if "call" in template:
        calls = []
        for n, (role, text) in enumerate(said):
            if role == "assistant" or n == len(said) - 1:
                form = template["call" if role == "assistant" else "asked"]
                calls.append(_filled(form, n, {"text": text}, written[: n + 1]))
        written = calls
    around = template.get("around", "{said}\n").replace("{last}", str(len(written) - 1))
    listed = template.get("between", ", ").join(written)
    return around.replace("{csv_said}", _cell(f"[{listed}]")).replace("{said}", listed)


def _filled(template: str, n: int, words: Mapping[str, str], messages: Sequence[str] = ()) -> str:
    ready = {"n": str(n), "nn": f"{n % 60:02}", "next": str(n + 1), "before": str(n - 1)}
    for name, part in {"talk": messages[:-1], "this": messages[-1:], "whole": messages}.items():
        ready[name] = ", ".join(part)
        ready[f"json_{name}"] = json.dumps(f"[{ready[name]}]")

    def filled(found: re.Match[str]) -> str:
        how, _, name = found[1].rpartition("_")
        if found[1] in ready:
            return ready[found[1]]
        text = html.escape(words[name], quote=False).replace("@", "&#64;") if how == "html" else words[name]
        if how in ("plain", "csv"):
            return _cell(text) if how == "csv" else text
        text = json.dumps(text) if how == "json" else text
        return json.dumps(text)[1:-1] if how == "in" else json.dumps(text)

    return _PLACE.sub(filled, template)


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
