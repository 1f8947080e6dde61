"""The guard of tests/conftest.py: only loopback can be reached."""

import asyncio
import socket

import pytest


def test_a_connection_that_leaves_the_machine_is_refused(outside_attempts: list[str]) -> None:
    with socket.socket() as outward, pytest.raises(OSError, match="may not leave"):
        outward.connect(("192.0.2.1", 80))
    assert outside_attempts
    outside_attempts.clear()


async def test_the_event_loop_is_guarded_as_well(outside_attempts: list[str]) -> None:
    with pytest.raises(OSError, match="may not leave"):
        await asyncio.open_connection("192.0.2.1", 80)
    assert outside_attempts
    outside_attempts.clear()


def test_loopback_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as client:
        client.connect(server.getsockname())
