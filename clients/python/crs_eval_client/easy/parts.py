"""Builders of the parts of a message. Each takes only the fields that its type has."""

from collections.abc import Iterable

from ..generated.models import ItemLayout, Part, PartType, ShownItem


def text(text: str) -> Part:
    """Return a text."""
    return Part(PartType.TEXT, text=text)


def items(items: Iterable[ShownItem], layout: ItemLayout | None = None) -> Part:
    """Return items that the user sees as cards, in order."""
    return Part(PartType.ITEMS, items=list(items), layout=layout)


def tool_call(name: str, arguments: str | None = None, id: str | None = None) -> Part:  # noqa: A002 - the contract's name
    """Return a call of the tool `name`; `arguments` are JSON text."""
    return Part(PartType.TOOL_CALL, name=name, arguments=arguments, id=id)


def tool_result(
    content: str, call: str | None = None, name: str | None = None, error: bool | None = None
) -> Part:
    """Return the answer of a tool to the call with the id `call`; `error` is true if the tool failed."""
    return Part(PartType.TOOL_RESULT, content=content, call=call, name=name, error=error)


def image(alt: str | None = None, url: str | None = None) -> Part:
    """Return a picture; judges read `alt`."""
    return Part(PartType.IMAGE, alt=alt, url=url)
