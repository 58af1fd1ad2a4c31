"""`fastmcp` as a client."""

import anyio
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

from steps import play, read_target


async def main():
    target = read_target()
    kind = StreamableHttpTransport if "url" in target else StdioTransport
    async with Client(kind(**target)) as client:

        async def list_tools():
            return [tool.name for tool in await client.list_tools()]

        async def call(name, arguments):
            result = await client.call_tool_mcp(name, arguments)
            return result.model_dump(by_alias=True, mode="json", exclude_none=True)

        await play(list_tools, call)


anyio.run(main)
