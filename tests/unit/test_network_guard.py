"""The guard of tests/conftest.py: only loopback can be reached."""

import socket

import pytest


def test_a_connection_that_leaves_the_machine_is_refused(outside_attempts: list[str]) -> None:
    with socket.socket() as outward, pytest.raises(OSError, match="may not leave"):
        outward.connect(("192.0.2.1", 80))
    assert outside_attempts
    outside_attempts.clear()
