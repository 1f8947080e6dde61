"""A provider without a network, for what the wrappers do."""

import pytest

from tests.factories import Scripted


@pytest.fixture
def upstream() -> Scripted:
    return Scripted()
