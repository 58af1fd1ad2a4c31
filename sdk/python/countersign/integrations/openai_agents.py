"""OpenAI Agents: tools whose calls Countersign decides, with the SDK's own interruptions.

    gate = Countersign(actions={"send": "email.send"})
    agent = Agent(name="mail", tools=[gate.tool(send)])
    result = await Runner.run(agent, "…")
    while result.interruptions:
        result = await Runner.run(agent, await gate.resolve(result))
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from agents import FunctionTool, RunContextWrapper, RunResult, RunState
from agents.tool_context import ToolContext

from ..errors import CountersignError, Denied, Pending
from ..flows import LONGEST_WAIT, Allowed
from ..runtime import current
from ..tools import ToolGate, describe_refusal


class Countersign:
    """Gates the tools of one agent. A call that asks interrupts the run."""

    def __init__(self, *, actions: Mapping[str, str] | None = None) -> None:
        self._gate: ToolGate[Any] = ToolGate(actions, 0.0)
        # What was decided before the SDK runs the tool, by the id of the tool call.
        self._decided: dict[str, Allowed | CountersignError] = {}

    def tool(self, tool: FunctionTool) -> FunctionTool:
        """The same tool, gated."""

        async def needs_approval(
            _context: RunContextWrapper[Any], args: dict[str, Any], call_id: str
        ) -> bool:
            return await self._decide(tool.name, args, call_id)

        async def invoke(context: ToolContext[Any], text: str) -> Any:
            args = json.loads(text or "{}")
            decided = self._decided.pop(context.tool_call_id, None)
            try:
                if isinstance(decided, CountersignError):
                    raise decided
                return await self._gate.run_async(
                    tool.name, args, lambda: tool.on_invoke_tool(context, text), decided
                )
            except CountersignError as error:
                return describe_refusal(error)

        return dataclasses.replace(tool, on_invoke_tool=invoke, needs_approval=needs_approval)

    async def _decide(self, name: str, args: dict[str, Any], call_id: str) -> bool:
        """Whether the run waits for the operator."""
        if isinstance(self._decided.get(call_id), Allowed):
            return False
        try:
            allowed = await current().run_async(self._gate.check(name, args, 0.0))
        except Pending as pending:
            self._decided[call_id] = pending
            return True
        except CountersignError as error:
            self._decided[call_id] = error
            return False
        self._decided[call_id] = allowed
        return False

    async def resolve(self, result: RunResult, wait: float = LONGEST_WAIT) -> RunState[Any, Any]:
        """Waits for the operator's answers, and puts them into the state to go on with."""
        state = result.to_state()
        for item in result.interruptions:
            call_id = str(getattr(item.raw_item, "call_id", ""))
            pending = self._decided.get(call_id)
            if not isinstance(pending, Pending):
                continue
            try:
                flow = self._gate.wait_for(pending.operation_id, wait)
                self._decided[call_id] = await current().run_async(flow)
                state.approve(item)
            except Denied as denied:
                del self._decided[call_id]
                state.reject(item, rejection_message=describe_refusal(denied))
        return state
