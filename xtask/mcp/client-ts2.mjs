// The TypeScript SDK 2.x as a client: it asks which eras the server has, and takes the modern one.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { play, readTarget } from './steps.mjs';

const { url, headers, ...process } = readTarget();
const transport = url
  ? new StreamableHTTPClientTransport(url, { requestInit: { headers } })
  : new StdioClientTransport(process);
const client = new Client({ name: 'client-ts2', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(transport);
await play({
  version: client.getNegotiatedProtocolVersion(),
  list: async () => (await client.listTools()).tools,
  call: (name, args) => client.callTool({ name, arguments: args }),
});
await client.close();
