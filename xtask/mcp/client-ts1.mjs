// The TypeScript SDK 1.x as a client: the older era.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { play, readTarget } from './steps.mjs';

const { url, headers, ...process } = readTarget();
const transport = url
  ? new StreamableHTTPClientTransport(url, { requestInit: { headers } })
  : new StdioClientTransport(process);
const client = new Client({ name: 'client-ts1', version: '1.0.0' });
await client.connect(transport);
await play({
  list: async () => (await client.listTools()).tools,
  call: (name, args) => client.callTool({ name, arguments: args }),
});
await client.close();
