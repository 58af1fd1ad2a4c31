// An MCP server with one tool, which makes a file. It speaks the older of the two eras, as most servers do.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const tool = {
  name: "make_file",
  description: "Makes an empty file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "files", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": ({ arguments: { path } }) => {
    writeFileSync(path, "");
    return { content: [{ type: "text", text: `made ${path}` }] };
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const found = methods[method];
  const outcome = found ? { result: found(params ?? {}) } : { error: { code: -32601, message: "unknown method" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
});
