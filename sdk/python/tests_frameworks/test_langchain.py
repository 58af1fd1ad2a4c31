"""LangChain and LangGraph."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from countersign.integrations.langchain import CountersignMiddleware
from tests_frameworks.scenario import ACTIONS, Scenario


class Script(BaseChatModel):
    """Calls one tool, and repeats what the tool returned."""

    tool: str
    title: str

    @property
    def _llm_type(self) -> str:
        return "script"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            message = AIMessage(str(last.content))
        else:
            call = {"name": self.tool, "args": {"title": self.title}, "id": "call_1"}
            message = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])


class LangChain(Scenario, unittest.TestCase):
    def agent(self, tool: str, title: str, **options: Any) -> Any:
        middleware = CountersignMiddleware(actions=ACTIONS, **options)
        tools = [self.list_tasks, self.create_task, self.wipe]
        saver = InMemorySaver() if options else None
        return create_agent(Script(tool=tool, title=title), tools, middleware=[middleware],
                            checkpointer=saver)

    async def ask(self, tool: str, title: str) -> str:
        agent = self.agent(tool, title)
        asked = {"messages": [HumanMessage("go")]}
        found = await agent.ainvoke(asked)
        return str(found["messages"][-1].content)

    def test_without_asyncio(self) -> None:
        asked = {"messages": [HumanMessage("go")]}
        found = self.agent("list_tasks", "home").invoke(asked)
        self.assertEqual(found["messages"][-1].content, "listed home")

    def test_a_graph_with_a_checkpointer_is_interrupted_and_resumed(self) -> None:
        agent = self.agent("create_task", "letter", on_pending="interrupt")
        thread = {"configurable": {"thread_id": "1"}}
        asked = {"messages": [HumanMessage("go")]}
        found = asyncio.run(agent.ainvoke(asked, thread))
        self.assertIn("operation_id", str(found["__interrupt__"]))
        self.assertEqual(self.ran, [])
        self.daemon.answer("once")
        found = asyncio.run(agent.ainvoke(Command(resume=True), thread))
        self.assertEqual(found["messages"][-1].content, "created letter")
        self.assertEqual((self.ran, self.daemon.ends()), (["letter"], ["done"]))
