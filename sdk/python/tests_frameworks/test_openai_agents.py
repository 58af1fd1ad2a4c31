"""OpenAI Agents."""

from __future__ import annotations

import unittest

from typing import Any

from agents import Agent, FunctionTool, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from countersign.integrations.openai_agents import Countersign
from tests_frameworks.scenario import ACTIONS, Scenario

set_tracing_disabled(True)


class Script(Model):
    """Calls one tool, and repeats what the tool returned."""

    def __init__(self, tool: str, title: str) -> None:
        self.call = ResponseFunctionToolCall(
            name=tool, arguments=f'{{"title": "{title}"}}', call_id="call_1", type="function_call"
        )

    async def get_response(self, *_: Any, **given: Any) -> ModelResponse:
        last = given["input"][-1] if isinstance(given["input"], list) else {}
        output = last.get("output") if isinstance(last, dict) else None
        answer: Any = self.call
        if output is not None:
            text = ResponseOutputText(text=str(output), type="output_text", annotations=[])
            answer = ResponseOutputMessage(
                id="m1", content=[text], role="assistant", status="completed", type="message"
            )
        return ModelResponse(output=[answer], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


class OpenAiAgents(Scenario, unittest.TestCase):
    async def ask(self, tool: str, title: str) -> str:
        gate = Countersign(actions=ACTIONS)
        functions = (self.list_tasks, self.create_task, self.wipe)
        tools: list[FunctionTool] = [gate.tool(function_tool(one)) for one in functions]
        agent = Agent(name="tasks", model=Script(tool, title), tools=list(tools))
        result = await Runner.run(agent, "go")
        while result.interruptions:
            result = await Runner.run(agent, await gate.resolve(result))
        return str(result.final_output)
