"""LangChain and LangGraph: a middleware that gates every tool call of an agent.

    create_agent(model, tools, middleware=[CountersignMiddleware(actions={"send": "email.send"})])

With `on_pending="interrupt"` a question interrupts a graph that has a checkpointer; resume it when the
operator has answered. Otherwise the tool call waits.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command, interrupt

from ..errors import CountersignError, Pending
from ..tools import ToolGate, describe_refusal

Result = ToolMessage | Command[Any]


class CountersignMiddleware(AgentMiddleware[Any, Any, Any]):
    """A tool runs only after an allow; a no is what the model reads as the tool's result."""

    def __init__(
        self,
        *,
        actions: Mapping[str, str] | None = None,
        wait: float | None = None,
        on_pending: Literal["wait", "interrupt"] = "wait",
    ) -> None:
        super().__init__()
        self._interrupts = on_pending == "interrupt"
        seconds = 0.0 if self._interrupts and wait is None else wait
        self._gate: ToolGate[Result] = ToolGate(actions, seconds)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]
    ) -> Result:
        call = request.tool_call
        try:
            return self._gate.run(call["name"], call["args"], lambda: handler(request))
        except GraphBubbleUp:
            raise
        except CountersignError as error:
            self._interrupt(error)
            return _refuse(request, error)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        call = request.tool_call
        try:
            return await self._gate.run_async(
                call["name"], call["args"], lambda: handler(request)
            )
        except GraphBubbleUp:
            raise
        except CountersignError as error:
            self._interrupt(error)
            return _refuse(request, error)

    def _interrupt(self, error: CountersignError) -> None:
        """Resumed, the graph runs the tool call anew, and the yes to it carries it then."""
        if self._interrupts and isinstance(error, Pending):
            interrupt({"operation_id": error.operation_id, "sentence": error.sentence})


def _refuse(request: ToolCallRequest, error: CountersignError) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(
        describe_refusal(error), name=call["name"], tool_call_id=call["id"], status="error"
    )
