"""Messages between a process and its worker: one socket, each message a length and a pickle.

Both ends run the same code of the same release and trust each other; nothing that a caller sends is unpickled."""

import asyncio
import copyreg
import pickle
import socket
import struct
from types import MappingProxyType
from typing import Any

_LENGTH = struct.Struct("!Q")
READ_AHEAD = 1024 * 1024

# Rubrics hold read-only mappings, which pickle does not know.
copyreg.pickle(MappingProxyType, lambda mapping: (MappingProxyType, (dict(mapping),)))


class Link:
    """One end of the socket between two processes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def over(cls, end: socket.socket) -> "Link":
        """The link over a connected socket, which it owns from now on."""
        return cls(*await asyncio.open_connection(sock=end, limit=READ_AHEAD))

    async def receive(self) -> Any:
        """The next message. Raises EOFError when the other end is gone."""
        try:
            (length,) = _LENGTH.unpack(await self._reader.readexactly(_LENGTH.size))
            # S301: written by the other end of our own socket.
            return pickle.loads(await self._reader.readexactly(length))  # noqa: S301
        except (asyncio.IncompleteReadError, ConnectionError):
            raise EOFError from None

    def send(self, message: object) -> None:
        """Queue a message; a link whose other end is gone drops it."""
        if not self._writer.is_closing():
            data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
            self._writer.writelines((_LENGTH.pack(len(data)), data))

    async def drain(self) -> None:
        """Wait until the other end has taken most of what was sent."""
        try:
            await self._writer.drain()
        except ConnectionError:
            raise EOFError from None

    def close(self) -> None:
        """Close the socket; what is still queued is sent first."""
        self._writer.close()
