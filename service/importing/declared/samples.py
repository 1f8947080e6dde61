"""Samples of a declared format: files of our own making, as its TOML file writes one."""

import html
import json
import re
from collections.abc import Mapping, Sequence

from ..format import Line

_PLACE = re.compile(r"\{(n|nn|next|before|(?:plain_|in_|html_|json_)?(?:text|user|assistant))\}")


def sample(template: Mapping[str, str], said: Sequence[Line]) -> str:
    """The file that says these lines. `user` and `assistant` write a message, or `turn` writes both; `around` holds them all.

    In them `{text}` (`{user}`, `{assistant}`) is the text as JSON, and `{plain_text}` the text as it is. `{in_text}` is JSON without
    its quotes, `{html_text}` HTML in JSON, `{json_text}` JSON in JSON. `{n}`, `{nn}`, `{next}` and `{before}` are numbers."""
    if "turn" in template:
        turns = [
            {"user": user[1], "assistant": assistant[1]}
            for user, assistant in zip(said[::2], said[1::2], strict=True)
        ]
        written = [_filled(template["turn"], n, words) for n, words in enumerate(turns)]
    else:
        written = [_filled(template[role], n, {"text": text}) for n, (role, text) in enumerate(said)]
    around = template.get("around", "{said}\n").replace("{last}", str(len(written) - 1))
    return around.replace("{said}", template.get("between", ", ").join(written))


def _filled(template: str, n: int, words: Mapping[str, str]) -> str:
    numbers = {"n": str(n), "nn": f"{n % 60:02}", "next": str(n + 1), "before": str(n - 1)}

    def filled(found: re.Match[str]) -> str:
        how, _, name = found[1].rpartition("_")
        if name in numbers:
            return numbers[name]
        text = html.escape(words[name], quote=False).replace("@", "&#64;") if how == "html" else words[name]
        text = json.dumps(text) if how == "json" else text
        return text if how == "plain" else json.dumps(text)[1:-1] if how == "in" else json.dumps(text)

    return _PLACE.sub(filled, template)
