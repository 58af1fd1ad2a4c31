"""Tool calls of agent frameworks: gated by the tool's name and its arguments.

The adapters in `integrations` call this. A tool is decided as the action that `actions` names for it,
else as the graph's `tools` map it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

from .arguments import ArgumentRules, Arguments
from .context import RunningCall, find_parent, running_call
from .errors import CountersignError, Denied, Pending
from .flows import Allowed, Flow, check, redeem, report, wait_for_answer
from .gate import _find_place
from .runtime import current, logger
from .wire import CheckRequest

T = TypeVar("T")


def _call_tool(**arguments: Any) -> None:
    """What the rules for arguments read: every argument by its name."""


class ToolGate(Generic[T]):
    """Decides the tool calls of one agent."""

    def __init__(self, actions: Mapping[str, str] | None = None, wait: float | None = None) -> None:
        self.actions = dict(actions or {})
        self.wait = wait
        self._rules = ArgumentRules(_call_tool, None, (), {})

    def run(self, tool: str, args: Mapping[str, Any], call: Callable[[], T]) -> T:
        """Runs a tool after an allow, and reports how it ended."""
        runtime = current()
        allowed = runtime.run(self.check(tool, args, self.wait))
        with _Execution(allowed) as execution:
            value = call()
            execution.effect = "done"
        return value

    async def run_async(
        self,
        tool: str,
        args: Mapping[str, Any],
        call: Callable[[], Awaitable[T]],
        allowed: Allowed | None = None,
    ) -> T:
        """The same for a coroutine; also for a call that was allowed already."""
        runtime = current()
        if allowed is None:
            allowed = await runtime.run_async(self.check(tool, args, self.wait))
        execution = _Execution(allowed)
        execution.enter()
        try:
            value = await call()
            execution.effect = "done"
            return value
        except Exception:
            execution.effect = "failed"
            raise
        finally:
            execution.leave()
            try:
                await runtime.run_async(execution.report())
            except CountersignError as error:
                logger.warning("the end of %s could not be reported: %s", tool, error)

    def check(self, tool: str, args: Mapping[str, Any], wait: float | None) -> Flow[Allowed]:
        """Decides a tool call, and waits for an answer this long."""
        sent = Arguments(self._rules, self._rules.signature.bind(**args)).sent
        request: CheckRequest = {
            "session": current().session,
            "tool": tool,
            "args": sent.get("arguments", {}),
        }
        if tool in self.actions:
            request["actions"] = [self.actions[tool]]
        place = _find_place()
        if place:
            request["context"] = place
        return (yield from check(request, wait))

    def wait_for(self, operation_id: str, seconds: float) -> Flow[Allowed]:
        """The permit of a call that asked, when it is answered."""
        session = current().session
        if (yield from wait_for_answer(operation_id, session, seconds)) == "pending":
            raise Pending(operation_id)
        return (yield from redeem(operation_id, session))


class _Execution:
    """A tool while it runs."""

    def __init__(self, allowed: Allowed) -> None:
        outer = find_parent()
        self.frame = RunningCall(allowed.operation_id, allowed.parent_token, outer)
        self.effect = "unknown"

    def enter(self) -> None:
        self._token = running_call.set(self.frame)

    def leave(self) -> None:
        self.frame.is_running = False
        running_call.reset(self._token)

    def report(self) -> Flow[None]:
        return report(self.frame.operation_id, current().session, self.effect)

    def __enter__(self) -> _Execution:
        self.enter()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and issubclass(kind, Exception):
            self.effect = "failed"
        self.leave()
        try:
            current().run(self.report())
        except CountersignError as error:
            logger.warning("the end of a tool call could not be reported: %s", error)


def describe_refusal(error: CountersignError) -> str:
    """What the model reads instead of a result."""
    note = error.note if isinstance(error, Denied) else ""
    said = f" The operator says: {note}" if note and note not in str(error) else ""
    return f"Not carried out: {error}.{said}"
