"""The same for asyncio. Imported with the first coroutine, because asyncio takes long to import."""

from __future__ import annotations

import asyncio
import time
from typing import Any
from weakref import WeakKeyDictionary

from .errors import Unavailable
from .http import (
    IDLE_SECONDS,
    MAX_CONNECTIONS,
    REPLY_SECONDS,
    Request,
    encode_request,
    parse_head,
    parse_reply,
)
from .locate import Place, describe_missing

_Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Loop:
    """Connections belong to the loop that opened them."""

    def __init__(self) -> None:
        self.idle: list[tuple[float, _Stream]] = []
        self.places = asyncio.Semaphore(MAX_CONNECTIONS)


class AsyncConnections:
    """Connections to the daemon, for every event loop of this process."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _Loop] = WeakKeyDictionary()

    async def send(self, request: Request) -> Any:
        """Sends a request and returns the value of its reply."""
        loop = asyncio.get_running_loop()
        own = self._loops.get(loop)
        if own is None:
            own = self._loops[loop] = _Loop()
        if request.wait:
            return await self._send(own, request)
        async with own.places:
            return await self._send(own, request)

    async def _send(self, own: _Loop, request: Request) -> Any:
        reader, writer = await self._take(own)
        try:
            writer.write(encode_request(request, self.place.token))
            reading = _read_reply(reader)
            status, body = await asyncio.wait_for(reading, request.wait + REPLY_SECONDS)
        except (OSError, EOFError, asyncio.TimeoutError, asyncio.LimitOverrunError):
            writer.close()
            raise Unavailable(describe_missing(self.place.socket)) from None
        except BaseException:
            writer.close()
            raise
        own.idle.append((time.monotonic(), (reader, writer)))
        return parse_reply(status, body)

    async def _take(self, own: _Loop) -> _Stream:
        while own.idle:
            since, (reader, writer) = own.idle.pop()
            is_open = not reader.at_eof() and not writer.is_closing()
            if is_open and time.monotonic() - since < IDLE_SECONDS:
                return reader, writer
            writer.close()
        try:
            return await asyncio.open_unix_connection(self.place.socket)
        except OSError:
            raise Unavailable(describe_missing(self.place.socket)) from None


async def _read_reply(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    status, length = parse_head(head[:-4])
    return status, await reader.readexactly(length)
