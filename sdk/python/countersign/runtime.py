"""This process as an application: where the daemon is, and in which session it works."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from .flows import Flow, T, run, run_async
from .http import Connections
from .locate import default_session, find_place

if TYPE_CHECKING:
    from .http_async import AsyncConnections

logger = logging.getLogger("countersign")


class Runtime:
    """The connections and the session of this process."""

    def __init__(self, socket: str | None, token: str | None, session: str | None) -> None:
        self.place = find_place(socket, token)
        self.session = session or default_session()
        self.connections = Connections(self.place)
        self._coroutines: AsyncConnections | None = None

    @property
    def async_connections(self) -> AsyncConnections:
        """The same daemon, for coroutines."""
        if self._coroutines is None:
            from .http_async import AsyncConnections

            self._coroutines = AsyncConnections(self.place)
        return self._coroutines

    def run(self, flow: Flow[T]) -> T:
        """Carries a flow out on this thread."""
        return run(flow, self.connections)

    async def run_async(self, flow: Flow[T]) -> T:
        """Carries a flow out on this event loop."""
        return await run_async(flow, self.async_connections)


_lock = threading.Lock()
_current: Runtime | None = None


def configure(
    *, socket: str | None = None, token: str | None = None, session: str | None = None
) -> None:
    """Names the daemon's socket, this application's token, or its session.

    Without it the library finds the socket as `countersign gate` does, takes the token from
    `COUNTERSIGN_TOKEN`, and calls the session by the name of the program. The same application in
    the same session takes up what it left there.
    """
    global _current
    with _lock:
        if _current is not None:
            # Idle ones only: a call that runs still reports its end.
            _current.connections.close()
        _current = Runtime(socket, token, session)


def current() -> Runtime:
    """The runtime of this process."""
    global _current
    runtime = _current
    if runtime is None:
        with _lock:
            runtime = _current = _current or Runtime(None, None, None)
    return runtime


def as_dict(value: Any) -> dict[str, Any]:
    """A reply that has to be an object."""
    return value if isinstance(value, dict) else {}
