"""The part of HTTP/1.1 that the daemon's sockets speak.

`http.client` is not used: importing it costs more than the rest of this library together. A request
is sent once. One that may have reached the daemon is never sent again, because a call that was
allowed twice could run twice.
"""

from __future__ import annotations

import json
import os
import select
import socket
import threading
import time
from typing import Any, NamedTuple

from .errors import CountersignError, Unavailable
from .locate import Place, describe_missing

# The daemon closes idle connections after a minute.
IDLE_SECONDS = 30.0
# How long a reply may take beyond the time that the request itself waits.
REPLY_SECONDS = 30.0
# No reply of the agents' plane comes near this.
MAX_REPLY_BYTES = 16 << 20
# Connections of one process for requests that do not wait.
MAX_CONNECTIONS = 64


class Request(NamedTuple):
    """One request of a flow, and how long the daemon may keep it open."""

    method: str
    path: str
    body: dict[str, Any] | None = None
    wait: float = 0.0


class Pause(NamedTuple):
    """A flow waits this long before it goes on."""

    seconds: float


class Refused(CountersignError):
    """The daemon answered with an error instead of a decision."""

    def __init__(self, status: int, code: str, message: str, remedy: str) -> None:
        super().__init__(f"{message}; {remedy}" if remedy else message)
        self.status = status
        self.code = code


def encode_request(request: Request, token: str | None) -> bytes:
    """The bytes of a request."""
    head = f"{request.method} {request.path} HTTP/1.1\r\nhost: localhost\r\n"
    if token:
        head += f"authorization: Bearer {token}\r\n"
    if request.body is None:
        return (head + "\r\n").encode()
    body = json.dumps(request.body, separators=(",", ":"), allow_nan=False).encode()
    head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def parse_head(head: bytes) -> tuple[int, int]:
    """Status and length of the body."""
    lines = head.split(b"\r\n")
    try:
        status, length = int(lines[0].split(b" ")[1]), -1
        for line in lines[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
    except (IndexError, ValueError):
        raise Unavailable("the daemon's reply cannot be read") from None
    if not 0 <= length <= MAX_REPLY_BYTES:
        raise Unavailable("the daemon's reply has no length, or is too long")
    return status, length


def parse_reply(status: int, body: bytes) -> Any:
    """The value of a reply. An error of the daemon is raised."""
    try:
        value = json.loads(body)
    except ValueError:
        raise Unavailable("the daemon's reply is not JSON") from None
    if status == 200:
        return value
    error = value.get("error", {}) if isinstance(value, dict) else {}
    message, remedy = str(error.get("message", "")), str(error.get("remedy", ""))
    if status in (429, 503):
        raise Unavailable(f"{message}; {remedy}")
    raise Refused(status, str(error.get("code", "")), message, remedy)


class Connections:
    """Connections of this process to the daemon, kept for the next request."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._lock = threading.Lock()
        self._idle: list[tuple[float, socket.socket]] = []
        self._process = os.getpid()
        self._places = threading.BoundedSemaphore(MAX_CONNECTIONS)

    def send(self, request: Request) -> Any:
        """Sends a request and returns the value of its reply."""
        if request.wait:
            return self._send(request)
        with self._places:
            return self._send(request)

    def _send(self, request: Request) -> Any:
        stream = self._take()
        try:
            stream.settimeout(request.wait + REPLY_SECONDS)
            stream.sendall(encode_request(request, self.place.token))
            status, body = _read_reply(stream)
        except OSError:
            stream.close()
            raise Unavailable(describe_missing(self.place.socket)) from None
        except BaseException:
            stream.close()
            raise
        self._keep(stream)
        return parse_reply(status, body)

    def _take(self) -> socket.socket:
        with self._lock:
            if self._process != os.getpid():
                # The parent process still uses them.
                self._idle, self._process = [], os.getpid()
            while self._idle:
                since, stream = self._idle.pop()
                is_fresh = time.monotonic() - since < IDLE_SECONDS
                if is_fresh and not select.select([stream], [], [], 0)[0]:
                    return stream
                stream.close()
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            stream.connect(self.place.socket)
        except OSError:
            stream.close()
            raise Unavailable(describe_missing(self.place.socket)) from None
        return stream

    def close(self) -> None:
        """Closes what is kept. Requests under way are not affected."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, stream in idle:
            stream.close()

    def _keep(self, stream: socket.socket) -> None:
        with self._lock:
            if len(self._idle) < MAX_CONNECTIONS:
                self._idle.append((time.monotonic(), stream))
                return
        stream.close()


def _read_reply(stream: socket.socket) -> tuple[int, bytes]:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _receive(stream)
        if len(data) > MAX_REPLY_BYTES:
            raise Unavailable("the daemon's reply is too long")
    head, _, rest = data.partition(b"\r\n\r\n")
    status, length = parse_head(head)
    parts = [rest]
    missing = length - len(rest)
    while missing > 0:
        part = _receive(stream)
        parts.append(part)
        missing -= len(part)
    return status, b"".join(parts)


def _receive(stream: socket.socket) -> bytes:
    part = stream.recv(65536)
    if not part:
        raise ConnectionResetError
    return part
