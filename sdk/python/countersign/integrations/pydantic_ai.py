"""Pydantic AI: a toolset that gates the calls of another one.

    agent = Agent(model, toolsets=[CountersignToolset(tools, actions={"send": "email.send"})])

It stands around the execution, not around the approval: so the record has the end of each call, and a
tool without `requires_approval` is gated as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from ..errors import CountersignError
from ..tools import ToolGate, describe_refusal


class CountersignToolset(WrapperToolset[Any]):
    """A tool runs only after an allow; a no is what the model reads as the tool's result."""

    def __init__(
        self,
        wrapped: AbstractToolset[Any],
        *,
        actions: Mapping[str, str] | None = None,
        wait: float | None = None,
    ) -> None:
        super().__init__(wrapped)
        self._gate: ToolGate[Any] = ToolGate(actions, wait)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        call = super().call_tool
        try:
            return await self._gate.run_async(
                name, tool_args, lambda: call(name, tool_args, ctx, tool)
            )
        except CountersignError as error:
            return describe_refusal(error)
