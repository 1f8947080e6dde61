"""A provider without a network, for what the wrappers do."""

import pytest

from tests.factories import Scripted, ask, within

__all__ = ["Scripted", "ask", "within"]


@pytest.fixture
def upstream() -> Scripted:
    return Scripted()
