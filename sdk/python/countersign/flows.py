"""The conversation with the daemon, once for threads and coroutines.

A flow is a generator: it yields a request or a pause, and gets the reply. `run` and `run_async` carry
it out. So what is decided here cannot differ between the two.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any, Protocol, TypeVar

from .errors import Denied, Pending, Unavailable
from .http import Pause, Refused, Request
from .wire import CheckRequest, CheckResponse

T = TypeVar("T")
Flow = Generator["Request | Pause", Any, T]

# One wait of the daemon; it accepts five minutes.
POLL_SECONDS = 280.0
# An answer can come until its request ends, which is two hours at most.
LONGEST_WAIT = 2 * 3600.0 + 300.0
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0


class Transport(Protocol):
    """Sends a request; raises `Unavailable` or `Refused`."""

    def send(self, request: Request) -> Any: ...


class AsyncTransport(Protocol):
    """The same for coroutines."""

    async def send(self, request: Request) -> Any: ...


def run(flow: Flow[T], transport: Transport) -> T:
    """Carries a flow out on this thread."""
    try:
        step = next(flow)
        while True:
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                step = flow.send(None)
                continue
            try:
                reply = transport.send(step)
            except (Unavailable, Refused) as error:
                step = flow.throw(error)
            else:
                step = flow.send(reply)
    except StopIteration as end:
        result: T = end.value
        return result


async def run_async(flow: Flow[T], transport: AsyncTransport) -> T:
    """Carries a flow out on this event loop."""
    import asyncio

    try:
        step = next(flow)
        while True:
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                step = flow.send(None)
                continue
            try:
                reply = await transport.send(step)
            except (Unavailable, Refused) as error:
                step = flow.throw(error)
            else:
                step = flow.send(reply)
    except StopIteration as end:
        result: T = end.value
        return result


class Allowed:
    """The function may run now, once."""

    def __init__(self, reply: CheckResponse) -> None:
        self.operation_id = reply["operation_id"]
        self.parent_token = reply.get("parent_token")


def check(call: CheckRequest, wait: float | None) -> Flow[Allowed]:
    """Decides a call. Waits for an answer this long, or with None until the question ends."""
    try:
        reply: CheckResponse = yield Request("POST", "/v1/check", dict(call))
    except Refused as refused:
        raise Denied(refused.code, str(refused), rule=_rule(call)) from None
    if reply["status"] != "pending":
        return _judge(reply, _rule(call))
    operation_id = reply["operation_id"]
    sentence = _add_graph_lines(reply, call)
    seconds = LONGEST_WAIT if wait is None else wait
    state = yield from wait_for_answer(operation_id, call["session"], seconds)
    if state == "pending":
        raise Pending(operation_id, sentence)
    return (yield from redeem(operation_id, call["session"], _rule(call)))


def wait_for_answer(operation_id: str, session: str, seconds: float) -> Flow[str]:
    """The state of a call once it is answered, or `pending`. A daemon that restarts is waited for."""
    path = f"/v1/operations/{operation_id}/wait"
    ends_at = time.monotonic() + seconds
    pause = FIRST_PAUSE
    while (left := ends_at - time.monotonic()) > 0:
        wait = min(left, POLL_SECONDS)
        body = {"session": session, "wait_ms": max(1, int(wait * 1000))}
        try:
            reply = yield Request("POST", path, body, wait)
        except Unavailable:
            yield Pause(min(pause, max(left, 0.0)))
            pause = min(pause * 2, LONGEST_PAUSE)
            continue
        pause = FIRST_PAUSE
        if reply["state"] != "pending":
            return str(reply["state"])
    return "pending"


def redeem(operation_id: str, session: str, rule: str = "") -> Flow[Allowed]:
    """Decides a parked call again."""
    path = f"/v1/operations/{operation_id}/retry"
    try:
        reply: CheckResponse = yield Request("POST", path, {"session": session})
    except Refused as refused:
        raise Denied(refused.code, str(refused), rule=rule, operation_id=operation_id) from None
    if reply["status"] == "pending":
        raise Pending(operation_id, reply.get("sentence", ""))
    return _judge(reply, rule)


def report(operation_id: str, session: str, effect: str) -> Flow[None]:
    """Reports how a call ended."""
    path = f"/v1/operations/{operation_id}/outcome"
    yield Request("POST", path, {"session": session, "effect": effect})


def _judge(reply: CheckResponse, rule: str) -> Allowed:
    operation_id = reply.get("operation_id")
    if reply["status"] == "allowed" and operation_id:
        return Allowed(reply)
    raise Denied(
        reply.get("reason", "denied"),
        reply.get("sentence", ""),
        note=reply.get("note", ""),
        rule=rule,
        operation_id=operation_id,
    )


def _rule(call: CheckRequest) -> str:
    return ", ".join(call.get("actions", []))


def _add_graph_lines(reply: CheckResponse, call: CheckRequest) -> str:
    """What the operator can add to the graph, if it does not list the action."""
    sentence = reply.get("sentence", "")
    if reply.get("reason") != "unclassified":
        return sentence
    lines = []
    for action in call.get("actions", []):
        domain, _, verb = action.partition(".")
        tiers = f"autonomous: [], requires_approval: [{verb}], blocked: []"
        lines.append(f"  {domain}: {{{tiers}}}")
    added = "\n".join(lines)
    return f"{sentence}\nto list it, add to the graph:\ndomains:\n{added}"
