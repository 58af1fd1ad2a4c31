"""MCP servers with FastMCP: a middleware for the server's author.

    server = FastMCP("shop")
    server.add_middleware(CountersignMiddleware(actions={"send": "email.send"}))
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext

from ..errors import CountersignError
from ..tools import ToolGate, describe_refusal


class CountersignMiddleware(Middleware):
    """A tool runs only after an allow; a no is the tool's error."""

    def __init__(
        self, *, actions: Mapping[str, str] | None = None, wait: float | None = None
    ) -> None:
        self._gate: ToolGate[Any] = ToolGate(actions, wait)

    async def on_call_tool(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> Any:
        message = context.message
        try:
            return await self._gate.run_async(
                message.name, message.arguments or {}, lambda: call_next(context)
            )
        except CountersignError as error:
            raise ToolError(describe_refusal(error)) from None
