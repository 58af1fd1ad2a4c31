"""The Python SDK `mcp` as a client: it asks which eras the server has, and takes the modern one."""

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from steps import play, read_target


async def main():
    target = read_target()
    if "url" in target:
        http = httpx2.AsyncClient(headers=target["headers"], timeout=60)
        server = streamable_http_client(target["url"], http_client=http)
    else:
        server = StdioServerParameters(**target)
    async with Client(server) as client:

        async def list_tools():
            return [tool.name for tool in (await client.list_tools()).tools]

        async def call(name, arguments):
            result = await client.call_tool(name, arguments)
            return result.model_dump(by_alias=True, mode="json", exclude_none=True)

        await play(list_tools, call, client.protocol_version)


anyio.run(main)
