// The conversation with the daemon about one call.

import { setTimeout as pause } from "node:timers/promises";
import { Denied, Pending, Refused, Unavailable } from "./errors.js";
import type { Runtime } from "./runtime.js";
import type { CheckRequest, CheckResponse, OperationResponse } from "./wire.js";

// One wait of the daemon; it accepts five minutes.
const POLL_MS = 280_000;
/** An answer can come until its request ends, which is two hours at most. */
export const LONGEST_WAIT_MS = (2 * 3600 + 300) * 1000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/** The function may run now, once. */
export interface Allowed {
  readonly operationId: string;
  readonly parentToken: string | undefined;
}

/** Decides a call. Waits for an answer this long. */
export async function check(
  runtime: Runtime,
  call: CheckRequest,
  waitMs: number,
): Promise<Allowed> {
  const rule = call.actions.join(", ");
  const reply = await decide(runtime, "/v1/check", call, rule);
  const operationId = reply.operation_id;
  if (reply.status !== "pending" || operationId === undefined) return judge(reply, rule);
  const state = await waitForAnswer(runtime, operationId, waitMs);
  if (state === "pending") throw new Pending(operationId, addGraphLines(reply, call));
  return await redeem(runtime, operationId, rule);
}

/** Decides a parked call again. */
export async function redeem(runtime: Runtime, operationId: string, rule = ""): Promise<Allowed> {
  const path = `/v1/operations/${operationId}/retry`;
  const reply = await decide(runtime, path, { session: runtime.session }, rule);
  if (reply.status === "pending") throw new Pending(operationId, reply.sentence);
  return judge(reply, rule);
}

/** Reports how a call ended. */
export async function report(
  runtime: Runtime,
  operationId: string,
  effect: "done" | "failed" | "unknown",
): Promise<void> {
  const path = `/v1/operations/${operationId}/outcome`;
  await runtime.connections.send({ method: "POST", path, body: { session: runtime.session, effect } });
}

/** The state of a call once it is answered, or `pending`. */
export async function waitForAnswer(
  runtime: Runtime,
  operationId: string,
  waitMs: number,
): Promise<string> {
  const path = `/v1/operations/${operationId}/wait`;
  const found = await pollUntil(runtime, path, waitMs, (reply: OperationResponse) =>
    reply.state === "pending" ? undefined : reply.state,
  );
  return found ?? "pending";
}

/** Waits with one long poll after the other. A daemon that restarts is waited for. */
export async function pollUntil<R extends object, T>(
  runtime: Runtime,
  path: string,
  waitMs: number,
  read: (reply: R) => T | undefined,
): Promise<T | undefined> {
  const endsAt = performance.now() + waitMs;
  let nextPause = FIRST_PAUSE_MS;
  for (;;) {
    const left = endsAt - performance.now();
    if (left <= 0) return undefined;
    const poll = Math.max(1, Math.floor(Math.min(left, POLL_MS)));
    const body = { session: runtime.session, wait_ms: poll };
    try {
      const reply = await runtime.connections.send<R>({ method: "POST", path, body, waitMs: poll });
      const found = read(reply);
      if (found !== undefined) return found;
      nextPause = FIRST_PAUSE_MS;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      await pause(Math.min(nextPause, left));
      nextPause = Math.min(nextPause * 2, LONGEST_PAUSE_MS);
    }
  }
}

/** A request whose refusal is a denial of what was asked for. */
export async function sendOrDeny<T>(
  runtime: Runtime,
  path: string,
  body?: object,
  rule = "",
): Promise<T> {
  try {
    const method = body === undefined ? "GET" : "POST";
    return await runtime.connections.send<T>({ method, path, ...(body && { body }) });
  } catch (error) {
    if (error instanceof Refused) throw new Denied(error.code, error.message, { rule });
    throw error;
  }
}

async function decide(
  runtime: Runtime,
  path: string,
  body: object,
  rule: string,
): Promise<CheckResponse> {
  return await sendOrDeny<CheckResponse>(runtime, path, body, rule);
}

function judge(reply: CheckResponse, rule: string): Allowed {
  const operationId = reply.operation_id;
  if (reply.status === "allowed" && operationId !== undefined) {
    return { operationId, parentToken: reply.parent_token };
  }
  const { reason, sentence, note } = reply;
  throw new Denied(reason, sentence, { note, rule, operationId });
}

/** What the operator can add to the graph, if it does not list the action. */
function addGraphLines(reply: CheckResponse, call: CheckRequest): string {
  if (reply.reason !== "unclassified") return reply.sentence;
  const lines = call.actions.map((action) => {
    const [domain, ...verb] = action.split(".");
    const tiers = `autonomous: [], requires_approval: [${verb.join(".")}], blocked: []`;
    return `  ${domain}: {${tiers}}`;
  });
  const added = lines.join("\n");
  return `${reply.sentence}\nto list it, add to the graph:\ndomains:\n${added}`;
}
