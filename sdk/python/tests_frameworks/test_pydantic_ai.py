"""Pydantic AI."""

from __future__ import annotations

import unittest

from pydantic_ai import Agent, FunctionToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from countersign.integrations.pydantic_ai import CountersignToolset
from tests_frameworks.scenario import ACTIONS, Scenario


class PydanticAi(Scenario, unittest.TestCase):
    async def ask(self, tool: str, title: str) -> str:
        def script(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
            last = messages[-1].parts[-1]
            if isinstance(last, ToolReturnPart):
                return ModelResponse(parts=[TextPart(str(last.content))])
            return ModelResponse(parts=[ToolCallPart(tool, {"title": title})])

        tools = FunctionToolset([self.list_tasks, self.create_task, self.wipe])
        gated = CountersignToolset(tools, actions=ACTIONS)
        agent = Agent(FunctionModel(script), toolsets=[gated])
        return (await agent.run("go")).output
