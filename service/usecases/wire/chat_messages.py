"""Messages as OpenAI's and Anthropic's APIs write them, read as messages of the contract.

The contract shows `content` as a string and `parts` beside it. Callers send what they logged: `content` as a list or null, `tool_calls`,
`tool_call_id`, `name`, `refusal`, the roles `system` and `developer`. All of it is turned into the contract's form before it is checked."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

_INSTRUCTIONS = frozenset({"system", "developer"})
_TOOLS = frozenset({"tool", "function"})
_TEXTS = frozenset({"text", "input_text", "output_text"})
_IMAGES = frozenset({"image", "image_url", "input_image"})
_THOUGHT = frozenset({"thinking", "redacted_thinking", "reasoning"})
#: Fields of the APIs' messages that say nothing of what was said or shown.
_SILENT = (
    "audio",
    "annotations",
    "function_call",
    "reasoning_content",
    "tool_calls",
    "tool_call_id",
    "refusal",
    "name",
)


def as_contract(raw: Any) -> Any:
    """A message in the contract's form. What is in it already, and what is no message at all, comes back as it is."""
    if not isinstance(raw, Mapping):
        return raw
    if _word(raw, "role") in _INSTRUCTIONS:
        # Holds its place, so that verdicts cite messages by the caller's own numbers.
        return {"role": "tool", "content": "", **({"id": raw["id"]} if "id" in raw else {})}
    given = raw.get("parts")
    if given is not None and not isinstance(given, list):
        return raw
    made = {name: value for name, value in raw.items() if name not in _SILENT}
    parts = [part for part in (*_beside(raw), *map(_part, given or ())) if part is not None]
    made.update(_role_and_text(raw, parts))
    return {**made, "parts": parts} if parts else made


def _role_and_text(raw: Mapping[str, Any], parts: Sequence[Any]) -> Mapping[str, str]:
    """The role and the content, where the contract writes them otherwise."""
    role, content = _word(raw, "role"), raw.get("content")
    if role in _TOOLS:
        return {"role": "tool", "content": ""}
    refusal = _word(raw, "refusal") or ""
    says_more = any(raw.get(name) for name in ("parts", "tool_calls", "function_call", "refusal"))
    forgotten = "content" not in raw and not says_more
    text = {"content": refusal} if isinstance(content, list | None) and not forgotten else {}
    if (
        role == "user"
        and parts
        and all(isinstance(one, Mapping) and one.get("type") == "tool_result" for one in parts)
    ):
        return {"role": "tool", **text}  # as Anthropic writes what tools answer
    return text


def _beside(raw: Mapping[str, Any]) -> Iterator[Any]:
    """The parts that stand outside the field `parts`."""
    content = raw.get("content")
    answers = _word(raw, "role") in _TOOLS
    yield from map(_part, content if isinstance(content, list) and not answers else ())
    yield from _calls(raw)
    if answers:
        yield from _result(raw, _as_text(content))


def _word(raw: Mapping[str, Any], name: str) -> str | None:
    """A field that may only be a word. A list or an object cannot be looked up, and is refused when the contract is checked."""
    value = raw.get(name)
    return value if isinstance(value, str) else None


def _result(raw: Mapping[str, Any], content: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(content, str) and content:
        result = {
            "type": "tool_result",
            "call": raw.get("tool_call_id"),
            "name": raw.get("name"),
            "content": content,
        }
        yield {name: value for name, value in result.items() if value is not None}


def _as_text(content: Any) -> Any:
    """Return a tool's answer as text: its text parts in lines, and data as JSON."""
    if not isinstance(content, list | Mapping):
        return content
    blocks = content if isinstance(content, list) else ()
    if any(isinstance(one, Mapping) and "type" in one for one in blocks):
        return "\n".join(
            _texts(one for one in blocks if isinstance(one, Mapping) and isinstance(one.get("text"), str))
        )
    return json.dumps(content, ensure_ascii=False) if content else ""


def _calls(raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    listed = raw.get("tool_calls")
    legacy = raw.get("function_call")
    for call in (*(listed if isinstance(listed, list) else ()), *([legacy] if legacy else ())):
        inner = call.get("function", call) if isinstance(call, Mapping) else None
        if isinstance(inner, Mapping) and isinstance(inner.get("name"), str):
            made = {"type": "tool_call", "id": call.get("id"), "name": inner["name"],
                    "arguments": inner.get("arguments", inner.get("args"))}  # fmt: skip
            yield {name: value for name, value in made.items() if value is not None}


def _part(part: Any) -> Any:
    """A part in the contract's form; None for a model's thoughts, which nobody saw."""
    if isinstance(part, str):
        return {"type": "text", "text": part}
    kind = _word(part, "type") if isinstance(part, Mapping) else None
    if kind in _THOUGHT:
        return None
    if kind in _TEXTS | {"refusal"}:
        return {"type": "text", "text": part.get("text", part.get("refusal"))}
    if kind == "tool_use":
        call = {"id": part.get("id"), "name": part.get("name"), "arguments": part.get("input")}
        return {"type": "tool_call", **call}
    if kind in _IMAGES and not part.keys() <= {"type", "alt", "url"}:
        return _image(part)
    answers = kind == "tool_result" and not part.keys() <= {"type", "call", "name", "content", "error"}
    return _answered(part) if answers else part


def _image(part: Mapping[str, Any]) -> Mapping[str, Any]:
    source = part.get("image_url") or part.get("source") or part.get("url")
    address = source.get("url") if isinstance(source, Mapping) else source
    given = isinstance(address, str) and not address.startswith("data:")
    return {"type": "image", "alt": part.get("alt"), "url": address if given else None}


def _answered(part: Mapping[str, Any]) -> Mapping[str, Any]:
    content = part.get("content")
    blocks = content if isinstance(content, list) else ()
    if blocks and all(isinstance(one, Mapping) and isinstance(one.get("text"), str) for one in blocks):
        content = "\n".join(_texts(blocks))
    error = part.get("is_error", part.get("error"))
    return {"type": "tool_result", "call": part.get("tool_use_id", part.get("call")), "name": part.get("name"),
            "content": content, "error": error}  # fmt: skip


def _texts(blocks: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    return (str(block["text"]) for block in blocks)
