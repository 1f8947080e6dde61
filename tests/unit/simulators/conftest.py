"""Logs to simulate users on."""

from collections.abc import Callable, Sequence

import pytest

from service.domain.conversation import ConversationLog, Item, Message, Role, User

Line = tuple[str, str] | tuple[str, str, Sequence[str]]


@pytest.fixture
def catalogue_items() -> tuple[Item, ...]:
    """Four invented films."""
    return (
        Item("Paper Comets (2015)", "f1", {"genre": ("animation", "family"), "mood": ("cheerful",)}),
        Item("Glass Harvest (2018)", "f2", {"genre": ("science fiction", "thriller"), "mood": ("tense",)}),
        Item("Dr. Moth (1991)", "f3", {"genre": ("mystery", "comedy"), "mood": ("playful",)}),
        Item("Heat (2001)", "f4", {"genre": ("crime",), "mood": ("dark",)}),
    )


@pytest.fixture
def log_of() -> Callable[..., ConversationLog]:
    """A log from ("u" or "a", text, list?) lines."""

    def build(*lines: Line, wants: Sequence[str] = (), **fields: object) -> ConversationLog:
        messages = tuple(
            Message(
                Role.USER if line[0] == "u" else Role.ASSISTANT,
                line[1],
                tuple(line[2]) if len(line) > 2 else None,
            )
            for line in lines
        )
        fields.setdefault("user", User(attributes=tuple(wants)))
        return ConversationLog(messages=messages, **fields)  # type: ignore[arg-type]

    return build
