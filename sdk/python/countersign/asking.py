"""Asking before there is a call."""

from __future__ import annotations

import time
from typing import Any, Literal, NamedTuple

from .errors import Denied, Unavailable
from .flows import FIRST_PAUSE, LONGEST_PAUSE, LONGEST_WAIT, POLL_SECONDS, Flow
from .http import Pause, Refused, Request
from .runtime import current
from .wire import AskAheadResponse

Scope = Literal["this_call", "this_session", "persistent"]


class Permission(NamedTuple):
    """What the operator said. A no is an answer, not an error."""

    granted: bool
    scope_granted: str | None
    operator_note: str
    grant_id: str


def request_permission(
    action: str,
    reasoning: str,
    scope: Scope = "this_call",
    fallback: str = "",
    category: str | None = None,
    *,
    wait: float | None = None,
) -> Permission:
    """Asks the operator ahead: what, why, and what happens without it. Waits for the answer."""
    body = _describe(action, reasoning, scope, fallback, category)
    return current().run(_ask(body, wait))


async def request_permission_async(
    action: str,
    reasoning: str,
    scope: Scope = "this_call",
    fallback: str = "",
    category: str | None = None,
    *,
    wait: float | None = None,
) -> Permission:
    """The same for a coroutine."""
    body = _describe(action, reasoning, scope, fallback, category)
    return await current().run_async(_ask(body, wait))


def _describe(
    action: str, reasoning: str, scope: str, fallback: str, category: str | None
) -> dict[str, Any]:
    body = {
        "session": current().session,
        "action": action,
        "reasoning": reasoning,
        "scope": scope,
        "fallback": fallback,
    }
    return body if category is None else {**body, "category": category}


def _ask(body: dict[str, Any], wait: float | None) -> Flow[Permission]:
    try:
        reply: AskAheadResponse = yield Request("POST", "/v1/ask-ahead", body)
    except Refused as refused:
        raise Denied(refused.code, str(refused)) from None
    ends_at = time.monotonic() + (LONGEST_WAIT if wait is None else wait)
    pause = FIRST_PAUSE
    while reply["status"] == "pending" and (left := ends_at - time.monotonic()) > 0:
        seconds = min(left, POLL_SECONDS)
        path = f"/v1/ask-ahead/{reply['request_id']}/wait"
        waiting = {"session": body["session"], "wait_ms": max(1, int(seconds * 1000))}
        try:
            reply = yield Request("POST", path, waiting, seconds)
            pause = FIRST_PAUSE
        except Unavailable:
            yield Pause(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
    note = reply["operator_note"]
    return Permission(reply["granted"], reply.get("scope_granted"), note, reply["grant_id"])
