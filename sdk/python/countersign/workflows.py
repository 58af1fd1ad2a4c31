"""Runs of a workflow that the graph declares: one question for the whole procedure."""

from __future__ import annotations

import time
from contextvars import Token
from types import TracebackType

from . import context
from .errors import CountersignError, Denied, Unavailable
from .flows import FIRST_PAUSE, LONGEST_PAUSE, LONGEST_WAIT, POLL_SECONDS, Flow
from .http import Pause, Refused, Request
from .runtime import Runtime, current, logger
from .wire import StartRunResponse


class workflow:
    """Starts a run, or asks whether it may, and ends it with the block.

        with workflow("release") as run:
            run.step("tag")
            tag_version()

    Gated calls inside belong to the run. Raises `Denied` (`consent denied`) if the operator
    declines; a block that raises cancels the run. Also as `async with`.
    """

    def __init__(self, name: str, *, wait: float | None = None) -> None:
        self.name = name
        self.run_id = ""
        self._seconds = LONGEST_WAIT if wait is None else wait
        self._runtime: Runtime = current()
        self._token: Token[context.RunPlace | None] | None = None

    def step(self, name: str) -> None:
        """The calls that follow belong to this step."""
        context.run_place.set(context.RunPlace(self.run_id, name))

    def __enter__(self) -> workflow:
        self._enter(self._runtime.run(self._start()))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()
        try:
            self._runtime.run(self._end(kind is None))
        except CountersignError as failure:
            logger.warning("the end of %s could not be reported: %s", self.name, failure)

    async def __aenter__(self) -> workflow:
        self._enter(await self._runtime.run_async(self._start()))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()
        try:
            await self._runtime.run_async(self._end(kind is None))
        except CountersignError as failure:
            logger.warning("the end of %s could not be reported: %s", self.name, failure)

    def _enter(self, run_id: str) -> None:
        self.run_id = run_id
        self._token = context.run_place.set(context.RunPlace(run_id))

    def _leave(self) -> None:
        if self._token is not None:
            context.run_place.reset(self._token)

    def _start(self) -> Flow[str]:
        session = self._runtime.session
        try:
            body = {"session": session, "workflow": self.name}
            reply: StartRunResponse = yield Request("POST", "/v1/runs", body)
        except Refused as refused:
            raise Denied(refused.code, str(refused)) from None
        ends_at = time.monotonic() + self._seconds
        pause = FIRST_PAUSE
        while reply["status"] == "pending" and (left := ends_at - time.monotonic()) > 0:
            wait = min(left, POLL_SECONDS)
            path = f"/v1/runs/{reply['run_id']}/wait"
            body = {"session": session, "wait_ms": max(1, int(wait * 1000))}  # type: ignore[dict-item]
            try:
                found = yield Request("POST", path, body, wait)
            except Unavailable:
                yield Pause(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
                continue
            pause = FIRST_PAUSE
            if found["state"] != "pending":
                reply = _as_start(reply, found)
        if reply["status"] != "started":
            reason = reply.get("error") or reply.get("reason") or reply["status"]
            sentence = reply.get("sentence", "")
            raise Denied(reason, sentence, note=reply.get("note", ""), rule=self.name)
        return reply["run_id"]

    def _end(self, is_complete: bool) -> Flow[None]:
        action = "end" if is_complete else "cancel"
        path = f"/v1/runs/{self.run_id}/{action}"
        yield Request("POST", path, {"session": self._runtime.session})


def _as_start(reply: StartRunResponse, found: dict[str, str]) -> StartRunResponse:
    """The start again, as its run is now."""
    state = found["state"]
    is_started = state in ("live", "suspended", "ended")
    return {
        **reply,
        "status": "started" if is_started else state,
        "sentence": found.get("sentence", ""),
        "error": found.get("error") or "",
        "note": found.get("note", ""),
    }
