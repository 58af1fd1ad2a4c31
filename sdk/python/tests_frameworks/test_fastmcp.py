"""MCP servers with FastMCP."""

from __future__ import annotations

import unittest

from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError

from countersign.integrations.fastmcp import CountersignMiddleware
from tests_frameworks.scenario import ACTIONS, Scenario


class FastMcp(Scenario, unittest.TestCase):
    async def ask(self, tool: str, title: str) -> str:
        server = FastMCP("tasks")
        for function in (self.list_tasks, self.create_task, self.wipe):
            server.tool(function)
        server.add_middleware(CountersignMiddleware(actions=ACTIONS))
        async with Client(server) as client:
            try:
                return str((await client.call_tool(tool, {"title": title})).data)
            except ToolError as error:
                return str(error)
