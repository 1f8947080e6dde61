"""Connections of callers that stop reading: closed, and counted."""

import asyncio
from collections import Counter

import structlog
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

STALL = 30.0
"""Seconds in which a caller must take something of what is written to it."""

log = structlog.get_logger("crs_eval.connection")


def protocol_for(counts: Counter[str], stall: float = STALL) -> type[HttpToolsProtocol]:
    """uvicorn's HTTP protocol, made to cut off a caller that takes nothing for `stall` seconds although
    more is to be sent; `counts["stalled_peers"]` says how many were. Without it such a connection, the
    task behind it and what it holds would stay for good: closing waits for the caller to read."""

    class StallingProtocol(HttpToolsProtocol):
        """Watches the write buffer while it is full."""

        _watch: asyncio.TimerHandle | None = None
        _unread = 0

        def pause_writing(self) -> None:
            super().pause_writing()
            self._look_again()

        def resume_writing(self) -> None:
            super().resume_writing()
            self._stop_watching()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_watching()
            super().connection_lost(exc)

        def _look_again(self) -> None:
            self._unread = self.transport.get_write_buffer_size()
            self._watch = self.loop.call_later(stall, self._check)

        def _check(self) -> None:
            if self.transport.get_write_buffer_size() < self._unread:
                self._look_again()
                return
            self._watch = None
            counts["stalled_peers"] += 1
            log.warning("stalled_peer", seconds=stall, unread=self._unread)
            self.transport.abort()

        def _stop_watching(self) -> None:
            if self._watch is not None:
                self._watch.cancel()
                self._watch = None

    return StallingProtocol
