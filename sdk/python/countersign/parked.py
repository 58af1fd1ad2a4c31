"""Calls whose yes comes later.

The process that made a call keeps its arguments, waits for the answer with one long poll, and runs
the function when the answer is yes. After a restart, `resume_parked` takes up what the record still
has. A critical call runs only by an explicit `retry`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from . import context
from .arguments import Arguments
from .errors import CountersignError, Denied, NotReplayable, Unavailable
from .flows import FIRST_PAUSE, LONGEST_WAIT, Allowed, Flow, redeem, wait_for_answer
from .http import Pause, Refused, Request
from .runtime import Runtime, current, logger
from .wire import ConsentResponse, StoredCallResponse

if TYPE_CHECKING:
    import asyncio

    from .gate import Gate

# Results of finished calls that `retry` can still return.
MAX_FINISHED = 1000

_lock = threading.Lock()
_registered: dict[str, Gate] = {}
_calls: OrderedDict[str, ParkedCall] = OrderedDict()
_tasks: set[asyncio.Task[None]] = set()


class ParkedCall:
    """A call that this process can run: with its arguments, and later with its result."""

    def __init__(self, gate: Gate, operation_id: str, arguments: Arguments, to: Runtime) -> None:
        self.gate = gate
        self.operation_id = operation_id
        self.arguments = arguments
        self.runtime = to
        # The background and an explicit `retry` must not both redeem the call.
        self.turn = threading.Lock()
        self.is_finished = False
        self.value: Any = None
        self.error: BaseException | None = None

    def result(self) -> Any:
        """What the function returned or raised."""
        if self.error is not None:
            raise self.error
        return self.value

    def run_once(self) -> Any:
        """Runs the function if it is allowed now. Later calls return the same result."""
        with self.turn:
            if not self.is_finished:
                allowed = self.runtime.run(_redeem(self))
                self._finish(lambda: self.gate.execute(allowed, self.arguments, self.runtime))
        return self.result()

    async def run_once_async(self) -> Any:
        """The same for a coroutine. It takes its turn without blocking the loop."""
        import asyncio

        while not self.turn.acquire(blocking=False):
            await asyncio.sleep(FIRST_PAUSE)
        try:
            if not self.is_finished:
                allowed = await self.runtime.run_async(_redeem(self))
                try:
                    ran = self.gate.execute_async(allowed, self.arguments, self.runtime)
                    self.value = await ran
                except BaseException as error:
                    self.error = error
                self.is_finished = True
        finally:
            self.turn.release()
        return self.result()

    def _finish(self, function: Any) -> None:
        try:
            self.value = function()
        except BaseException as error:
            self.error = error
        self.is_finished = True


def register(tool: str, gate: Gate) -> None:
    """Makes a function known under the name that the record has."""
    with _lock:
        _registered[tool] = gate


def attend(gate: Gate, operation_id: str, arguments: Arguments, to: Runtime) -> None:
    """Waits for the answer in the background, and runs the function after a yes."""
    call = ParkedCall(gate, operation_id, arguments.keep(), to)
    with _lock:
        if operation_id in _calls:
            return
        _calls[operation_id] = call
        _forget_finished()
    if gate.is_coroutine:
        import asyncio

        task = asyncio.get_running_loop().create_task(_attend_async(call))
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)
        return
    name = f"countersign-{operation_id[:8]}"
    threading.Thread(target=_attend, args=(call,), name=name, daemon=True).start()


def _forget_finished() -> None:
    if len(_calls) > MAX_FINISHED:
        for operation_id in [key for key, call in _calls.items() if call.is_finished][:100]:
            del _calls[operation_id]


def _attend(call: ParkedCall) -> None:
    try:
        if call.runtime.run(_wait_for_yes(call)):
            call.run_once()
    except BaseException as error:
        _log_end(call, error)


async def _attend_async(call: ParkedCall) -> None:
    # The task has copied the context of a call that has long ended.
    context.running_call.set(None)
    context.run_place.set(None)
    context.click.set(None)
    try:
        if await call.runtime.run_async(_wait_for_yes(call)):
            await call.run_once_async()
    except Exception as error:
        _log_end(call, error)


def _log_end(call: ParkedCall, error: BaseException) -> None:
    what = error.reason if isinstance(error, Denied) else type(error).__name__
    logger.info("%s (%s) ended: %s", call.gate.rules.name, call.operation_id, what)


def _wait_for_yes(call: ParkedCall) -> Flow[bool]:
    """Whether the background runs the call now."""
    session = call.runtime.session
    while not call.is_finished:
        state = yield from wait_for_answer(call.operation_id, session, LONGEST_WAIT)
        if state != "approved":
            return False
        try:
            stored = yield from _read_stored(call.operation_id, session)
        except Unavailable:
            yield Pause(FIRST_PAUSE)
            continue
        return stored["risk"] != "critical"
    return False


def _redeem(call: ParkedCall) -> Flow[Allowed]:
    rule = call.gate.action
    return (yield from redeem(call.operation_id, call.runtime.session, rule))


def _read_stored(operation_id: str, session: str) -> Flow[StoredCallResponse]:
    path = f"/v1/operations/{operation_id}/call?session={_quote(session)}"
    try:
        stored: StoredCallResponse = yield Request("GET", path)
    except Refused as refused:
        raise Denied(refused.code, str(refused), operation_id=operation_id) from None
    return stored


def _quote(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe="")


def _find(operation_id: str) -> ParkedCall | None:
    with _lock:
        return _calls.get(operation_id)


def _restore(stored: StoredCallResponse, runtime: Runtime) -> ParkedCall:
    """A call of the record, with the arguments of the record."""
    operation_id, tool = stored["operation_id"], stored["tool"] or ""
    gate = _registered.get(tool)
    if gate is None:
        why = f"no function is registered here as {tool!r}"
        raise NotReplayable(operation_id, why)
    bound = None if stored["redacted"] else gate.rules.from_record(stored["args"])
    if bound is None:
        why = "only the process that made the call has its arguments"
        raise NotReplayable(operation_id, why)
    return ParkedCall(gate, operation_id, Arguments(gate.rules, bound), runtime)


def retry(operation_id: str) -> Any:
    """Runs a parked call with the arguments of the record, or returns what it returned already.

    Raises `Pending` while it is not answered, `Denied` if the answer was no or its time is over, and
    `NotReplayable` where this process cannot carry it out. For a coroutine, `retry_async`.
    """
    call = _find(operation_id)
    if call is None:
        runtime = current()
        call = _restore(runtime.run(_read_stored(operation_id, runtime.session)), runtime)
    if call.gate.is_coroutine:
        raise TypeError(f"{call.gate.rules.name} is a coroutine: await retry_async(…)")
    return call.run_once()


async def retry_async(operation_id: str) -> Any:
    """The same for a coroutine."""
    call = _find(operation_id)
    if call is None:
        runtime = current()
        stored = await runtime.run_async(_read_stored(operation_id, runtime.session))
        call = _restore(stored, runtime)
    if not call.gate.is_coroutine:
        raise TypeError(f"{call.gate.rules.name} is no coroutine: retry(…)")
    return await call.run_once_async()


def resume_parked() -> list[str]:
    """Takes up the calls that an earlier process of this application left waiting in this session.

    Call it once, after the modules with gated functions are imported. What is approved runs in the
    background, what waits is waited for; a critical call is left to `retry`. Returns the ids of the
    calls that were taken up. Coroutines are taken up only inside a running event loop.
    """
    runtime = current()
    taken: list[str] = []
    path = f"/v1/consent?session={_quote(runtime.session)}"
    listed: ConsentResponse = runtime.run(_get(path))
    for operation in listed.get("operations", []):
        operation_id = operation["operation_id"]
        is_waiting = operation["state"] in ("pending", "approved")
        if not is_waiting or _find(operation_id) is not None:
            continue
        try:
            stored = runtime.run(_read_stored(operation_id, runtime.session))
            call = _restore(stored, runtime)
            attend(call.gate, operation_id, call.arguments, runtime)
        except (CountersignError, RuntimeError) as error:
            logger.info("%s is not taken up: %s", operation_id, error)
            continue
        taken.append(operation_id)
    return taken


def _get(path: str) -> Flow[ConsentResponse]:
    reply: ConsentResponse = yield Request("GET", path)
    return reply


__all__ = ["resume_parked", "retry", "retry_async"]
