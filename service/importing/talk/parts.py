"""Parts of a message in every spelling: text, calls of tools, their results, pictures, lists of items.

The same has other names in OpenAI's Chat Completions and Responses, Anthropic's Messages and the AI SDK of Vercel (versions 4 to
6). So it has in LangChain, Gemini and OpenTelemetry's GenAI messages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..entries import Json
from ..imported import UnreadableError
from .items import shown
from .leftovers import Leftovers, as_text, loaded

_TEXTS = frozenset({"text", "input_text", "output_text", "summary_text", "markdown"})
_REFUSAL = "refusal"
_CALLS = frozenset({
    "tool_use", "tool_call", "tool-call", "function_call", "server_tool_use", "mcp_tool_use", "server_tool_call",
    "custom_tool_call", "mcp_call", "web_search_call", "file_search_call", "code_interpreter_call", "computer_call",
    "image_generation_call", "local_shell_call", "shell_call", "apply_patch_call", "tool_search_call", "functionCall",
})  # fmt: skip
_RESULTS = frozenset({
    "tool_result", "tool-result", "tool_call_response", "function_call_output", "custom_tool_call_output",
    "server_tool_call_response", "computer_call_output", "local_shell_call_output", "shell_call_output",
    "apply_patch_call_output", "tool_search_output", "mcp_tool_result", "web_search_tool_result", "functionResponse",
})  # fmt: skip
_PICTURES = frozenset({"image", "image_url", "input_image", "uri", "file", "input_file", "document", "blob"})
_ITEMS = frozenset(
    {"items", "item", "product", "products", "card", "cards", "carousel", "product_card", "recommendations"}
)
_CALL_IDS = ("id", "call_id", "toolCallId", "tool_call_id", "tool_use_id", "toolUseId")
_NAMES = ("name", "toolName", "tool_name", "server_label")
_ARGUMENTS = (
    "arguments", "args", "input", "parameters", "action", "queries", "code", "operation", "server_tool_call",
)  # fmt: skip
_RESULTS_INSIDE = (
    "functionResponse", "function_response", "toolResult", "codeExecutionResult", "code_execution_result",
)  # fmt: skip
_WRAPPED = (
    "toolInvocation", "functionCall", "function_call", "tool_call", "toolUse", "executableCode", "executable_code", *_RESULTS_INSIDE,
)  # fmt: skip
"""Fields that hold a call or a result in a part: Gemini's, Bedrock's, LibreChat's."""
_RUNS = frozenset({
    "plain", "bold", "italic", "underline", "strikethrough", "spoiler", "link", "text_link", "mention", "mention_name", "hashtag",
    "cashtag", "bot_command", "email", "phone", "bank_card", "code", "pre", "blockquote", "custom_emoji",
})  # fmt: skip
"""Kinds of words inside one text of Telegram's."""
_OF_TOOLS = re.compile(r"tool|function", re.IGNORECASE)
"""Parts without which a conversation is not what it was: those that cannot be read are refused."""
_OWN_OUTPUTS = ("output", "result", "results", "outputs", "errorText")
_OUTPUTS = ("output", "result", "content", "response", "server_tool_call_response", "artifact")


READ_OF_PARTS = frozenset({
    "type", _REFUSAL, "text", "thought", "state", "status", "is_error", "isError", "alt", "alt_text", "title", "filename", "image_url", "source",
    "image", "file", "url", "uri", *_CALL_IDS, *_NAMES, *_ARGUMENTS, *_OUTPUTS, *_OWN_OUTPUTS, *_WRAPPED, *_ITEMS,
})  # fmt: skip
"""Fields of parts that are read, or that say nothing that the reading does not."""


@dataclass
class Pieces:
    """The sum of one message's parts."""

    texts: list[str] = field(default_factory=list)
    parts: list[Json] = field(default_factory=list)
    recommendations: list[str] | None = None
    items: list[Json] = field(default_factory=list)


def pieces_of(content: Sequence[Any], leftovers: Leftovers) -> Pieces:
    """The pieces of a list of parts; what nobody saw (a model's reasoning) and what is unknown is counted."""
    pieces = Pieces()
    if any(isinstance(part, Mapping) for part in content) and all(map(_is_run, content)):
        return Pieces(["".join(part if isinstance(part, str) else part["text"] for part in content)])
    for part in content:
        if isinstance(part, str):
            pieces.texts.append(part)
        elif isinstance(part, Mapping):
            _add(pieces, part, leftovers)
        else:
            leftovers.count(f"{leftovers.about}.parts of type {type(part).__name__}")
    return pieces


def _is_run(part: Any) -> bool:
    if not isinstance(part, Mapping):
        return isinstance(part, str)
    return part.get("type") in _RUNS and isinstance(part.get("text"), str)


def _add(pieces: Pieces, part: Mapping[str, Any], leftovers: Leftovers) -> None:
    kind = kind_of(part)
    text = _text(part, kind)
    calls = calls_in(part, kind)
    if part.get("thought") is True:  # Gemini's reasoning, as a text like others
        leftovers.count(f"{leftovers.about}.parts of type thought")
    elif text is not None:
        pieces.texts.append(text)
    elif calls:
        pieces.parts.extend(calls)
    elif kind in _ITEMS and (found := shown(part)) is not None:
        pieces.recommendations = pieces.recommendations or []
        pieces.recommendations.extend(found[0])
        pieces.items.extend(found[1])
    elif kind in _PICTURES and (picture := _picture(part)) is not None:
        pieces.parts.append(picture)
    elif _OF_TOOLS.search(kind):
        raise UnreadableError(f"a part of type {kind[:40]} cannot be read")
    else:
        leftovers.count(f"{leftovers.about}.parts of type {kind}")
        return
    for one in (part, *(part[name] for name in _WRAPPED if isinstance(part.get(name), Mapping))):
        leftovers.count_unread(one, READ_OF_PARTS, f"{leftovers.about}.parts.")


def kind_of(part: Mapping[str, Any]) -> str:
    """The kind of a part, by its `type`, else by the one field that Gemini's parts have."""
    if isinstance(part.get("type"), str):
        return str(part["type"])
    named = next((name for name in ("text", *_WRAPPED) if part.get(name) is not None), None)
    return named or (str(next(iter(part))) if len(part) == 1 else "unknown")


def _text(part: Mapping[str, Any], kind: str) -> str | None:
    if kind == _REFUSAL:
        return part[_REFUSAL] if isinstance(part.get(_REFUSAL), str) else None
    if kind not in _TEXTS:
        return None
    text = part.get("text", part.get("content"))
    if isinstance(text, Mapping):  # a message of OpenAI's Assistants
        text = text.get("value")
    return text if isinstance(text, str) else None


def calls_in(part: Mapping[str, Any], kind: str) -> list[Json]:
    """The call that a part makes and the result that it brings; both in one for the AI SDK and for tools that a provider runs."""
    inner = next((part[name] for name in _WRAPPED if isinstance(part.get(name), Mapping)), None)
    if inner is not None:
        return calls_in(inner, "tool-result" if kind in _RESULTS_INSIDE else "tool-call")
    if kind in _RESULTS or kind.endswith("_tool_result"):
        id_ = _first(part, _CALL_IDS[1:]) or _first(part, ("id",))
        return [tool_result(id_, _first(part, _OUTPUTS), failed=_failed(part))]
    if kind not in _CALLS and not kind.startswith(("tool-", "dynamic-tool")):
        return []
    name = _first(part, _NAMES) or kind.removeprefix("tool-").removesuffix("_call")
    id_ = _first(part, ("call_id", "toolCallId")) or _first(part, _CALL_IDS)
    made = [tool_call(id_, str(name), _first(part, _ARGUMENTS))]
    output = _first(part, _OWN_OUTPUTS)
    return [*made, tool_result(id_, output, failed=_failed(part))] if output is not None else made


def tool_call(id_: Any, name: str, arguments: Any) -> Json:
    """A call of a tool, its arguments as an object where they are one."""
    made = {"id": None if id_ is None else str(id_), "name": name, "arguments": loaded(arguments)}
    return {"type": "tool_call", **_given(made)}


def tool_result(call: Any, content: Any, *, failed: bool = False) -> Json:
    """Return what a tool answered, to the call of this id; `error` is true where it failed."""
    made = {"call": None if call is None else str(call), "content": _plain(loaded(content))}
    return {"type": "tool_result", **_given({**made, "error": failed or None})}


def _given(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def _failed(part: Mapping[str, Any]) -> bool:
    flagged = part.get("is_error") is True or part.get("isError") is True
    return flagged or part.get("status") in ("error", "failed")


def _plain(content: Any) -> Any:
    """A result as text where it is nothing but texts; Bedrock's blocks of JSON as the JSON that they hold."""
    if isinstance(content, list) and content and all(isinstance(one, Mapping) for one in content):
        if all(set(one) == {"json"} for one in content):
            held = [one["json"] for one in content]
            return held[0] if len(held) == 1 else held
        texts = [_text(one, kind_of(one)) for one in content]
        if all(text is not None for text in texts):
            return "\n".join(text for text in texts if text is not None)
    return content


def listed_calls(value: Any, leftovers: Leftovers) -> list[Json]:
    """The calls in a field `tool_calls` or `function_call`, as OpenAI and LangChain write them."""
    made = []
    read = {*READ_OF_PARTS, "function", "custom", "index"}
    for call in value if isinstance(value, list) else [value]:
        if not isinstance(call, Mapping):
            continue
        held = (call[name] for name in ("function", "custom") if isinstance(call.get(name), Mapping))
        inner = next(held, call)
        for one in (call, inner) if inner is not call else (call,):
            leftovers.count_unread(one, read, f"{leftovers.about}.parts.")
        id_, output = _first(call, _CALL_IDS), _first(call, _OWN_OUTPUTS)
        made.append(tool_call(id_, str(_first(inner, _NAMES) or "tool"), _first(inner, _ARGUMENTS)))
        made += [] if output is None else [tool_result(id_, output)]
    return made


def _picture(part: Mapping[str, Any]) -> Json | None:
    """A picture or file by its address; None where the bytes themselves are all there is."""
    source = part.get("image_url") or part.get("source") or part.get("image") or part.get("file") or part
    if isinstance(source, Mapping):
        source = _first(source, ("url", "uri", "file_url", "file_id", "filename", "image_url"))
    if not isinstance(source, str) or source.startswith("data:"):
        return None
    alt = _first(part, ("alt", "alt_text", "title", "filename"))
    return {"type": "image", "url": source, **({"alt": as_text(alt)} if alt is not None else {})}


def _first(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)
