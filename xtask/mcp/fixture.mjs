// The server that the conformance suite tries, directly and through the gateway.
//
//   node fixture.mjs                 both eras on stdio
//   node fixture.mjs --legacy        only the older era on stdio; or --modern
//   node fixture.mjs --http          both eras on HTTP, at a free port that it prints
//
// Protocol and transports are the official SDK's. The names of tools, prompts and resources, and
// what they return, are prescribed by the suite.

import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import {
  classifyInboundRequest,
  createMcpHandler,
  createRequestStateCodec,
  McpServer,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { addPrompts, addResources } from './fixture-content.mjs';
import { addQuestions } from './fixture-questions.mjs';
import { addTools } from './fixture-tools.mjs';

// One key for all processes of a run would be needed only if they shared clients; they do not.
const sealing = createRequestStateCodec({ key: randomBytes(32) });

/** `announce` tells subscribers that a list has changed; without it the server's own connection does. */
function buildServer(announce) {
  const capabilities = {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    completions: {},
    logging: {},
  };
  const options = { capabilities, requestState: { verify: sealing.verify } };
  const server = new McpServer({ name: 'conformance-fixture', version: '1.0.0' }, options);
  addTools(server, {
    toolsChanged: announce?.toolsChanged ?? (() => server.sendToolListChanged()),
    promptsChanged: announce?.promptsChanged ?? (() => server.sendPromptListChanged()),
  });
  addQuestions(server, sealing);
  addPrompts(server);
  addResources(server);
  return server;
}

/** Sessions of the older era, by their id. */
const sessions = new Map();

async function openSession() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: id => sessions.set(id, transport),
    onsessionclosed: id => sessions.delete(id),
  });
  await buildServer().connect(transport);
  return transport;
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

function refuse(response, status, message) {
  const error = { jsonrpc: '2.0', id: null, error: { code: -32000, message } };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
}

function serveHttp() {
  const modern = createMcpHandler(() => buildServer(modern.notify));
  const answerModern = toNodeHandler(modern);
  const [hostIsLocal, originIsLocal] = [localhostHostValidation(), localhostOriginValidation()];

  async function answer(request, response) {
    if (!hostIsLocal(request, response) || !originIsLocal(request, response)) return;
    const body = request.method === 'POST' ? await readBody(request) : undefined;
    const { kind } = classifyInboundRequest({
      httpMethod: request.method,
      protocolVersionHeader: request.headers['mcp-protocol-version'],
      mcpMethodHeader: request.headers['mcp-method'],
      body,
    });
    if (kind !== 'legacy') return answerModern(request, response, body);

    const id = request.headers['mcp-session-id'];
    if (id !== undefined && !sessions.has(id)) return refuse(response, 404, 'unknown session');
    if (id === undefined && body?.method !== 'initialize') return refuse(response, 400, 'no session');
    const transport = id === undefined ? await openSession() : sessions.get(id);
    await transport.handleRequest(request, response, body);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(error => {
      console.error(error);
      if (!response.headersSent) refuse(response, 500, String(error));
    });
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}

const option = process.argv[2];
if (option === '--http') serveHttp();
else if (option === '--legacy') await buildServer().connect(new StdioServerTransport());
else serveStdio(() => buildServer(), { legacy: option === '--modern' ? 'reject' : 'serve' });
