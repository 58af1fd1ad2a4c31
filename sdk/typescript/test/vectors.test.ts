// The shared vectors: what is sent, and what the caller gets, in every language the same.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type IncomingMessage, createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Denied, configure, requiresConsent } from "../src/index.js";
import type { ConsentOptions } from "../src/index.js";

type Fields = Record<string, unknown>;
interface Step {
  request: { method: string; path: string; body: Fields };
  reply: "lost" | "garbled" | { status: number; body: Fields };
}
interface Vector {
  name: string;
  function: { name: string; params: string[]; options: Fields };
  args: unknown[];
  exchange: Step[];
  result: Fields;
  fails?: boolean;
}

class Boom extends Error {}
const file = join(process.env["COUNTERSIGN_SDK"] ?? "..", "vectors", "calls.json");
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vector[];

test("there are vectors", () => assert.ok(vectors.length > 15));

for (const vector of vectors) test(vector.name, () => play(vector));

async function play(vector: Vector): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-"));
  const socket = join(folder, "agent.sock");
  const problems: string[] = [];
  let played = 0;
  const server = createServer(async (request, response) => {
    const step = vector.exchange[played];
    played += 1;
    const body = JSON.parse(await readAll(request)) as Fields;
    const { method, url } = request;
    problems.push(...(step ? compare({ method, path: url, body }, step) : ["one too many"]));
    if (!step || step.reply === "lost") return void request.socket.destroy();
    if (step.reply === "garbled") return void response.end("<html>");
    response.writeHead(step.reply.status).end(JSON.stringify(step.reply.body));
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  configure({ socket, token: "cs_application_test", session: "main" });
  const found = await outcomeOf(vector);
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
  assert.deepEqual(problems, []);
  assert.equal(played, vector.exchange.length);
  const wanted = Object.keys(vector.result).map((key) => [key, found[key]]);
  assert.deepEqual(Object.fromEntries(wanted), vector.result);
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

function compare(found: Fields & { body: Fields }, { request }: Step): string[] {
  const wanted: Fields & { body: Fields } = request;
  const problems = ["method", "path"].filter((key) => found[key] !== wanted[key]);
  const keys = new Set([...Object.keys(found.body), ...Object.keys(wanted.body)]);
  for (const key of keys) {
    const [one, other] = [found.body[key], wanted.body[key]].map((value) => JSON.stringify(value));
    const isDefault = other === undefined && ["[]", '""', "false", "0"].includes(one ?? "");
    if (one !== other && other !== '"*"' && !isDefault) problems.push(`${key}: ${one} != ${other}`);
  }
  return problems;
}

async function outcomeOf(vector: Vector): Promise<Fields> {
  const { name, params, options } = vector.function;
  const { on_pending: onPending, ...rest } = options;
  const all = { name, params, ...rest, ...(onPending ? { onPending } : {}) } as unknown as ConsentOptions;
  const gated = requiresConsent(all, (...values: unknown[]) => {
    if (vector.fails) throw new Boom();
    return values;
  });
  try {
    return { value: await gated(...vector.args) };
  } catch (error) {
    if (error instanceof Boom) return { error: "raised" };
    if (!(error instanceof Denied)) return { error: (error as Error).name };
    const { reason, note, operationId, message } = error;
    return { error: "Denied", reason, note, operation_id: operationId, message };
  }
}
