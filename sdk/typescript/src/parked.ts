// Calls whose yes comes later. The process that made a call keeps its arguments, waits for the answer
// with one long poll, and runs the function when the answer is yes. After a restart, `resumeParked`
// takes up what the record still has. A critical call runs only by an explicit `retry`.

import type { Arguments } from "./arguments.js";
import { runOutside } from "./context.js";
import { Denied, NotReplayable, Unavailable } from "./errors.js";
import { LONGEST_WAIT_MS, redeem, sendOrDeny, waitForAnswer } from "./flows.js";
import type { Gate } from "./gate.js";
import { type Runtime, currentRuntime } from "./runtime.js";
import type { ConsentResponse, StoredCallResponse } from "./wire.js";

// Results of finished calls that `retry` can still return.
const MAX_FINISHED = 1000;

const registered = new Map<string, Gate>();
const calls = new Map<string, ParkedCall>();

/** A call that this process can run: with its arguments, and later with its result. */
class ParkedCall {
  #result: Promise<unknown> | undefined;
  isFinished = false;

  constructor(
    readonly gate: Gate,
    readonly operationId: string,
    readonly args: Arguments,
    readonly runtime: Runtime,
    readonly self: unknown,
  ) {}

  /** Runs the function if it is allowed now. Everybody else gets the same result. */
  runOnce(): Promise<unknown> {
    this.#result ??= this.#run();
    return this.#result;
  }

  async #run(): Promise<unknown> {
    const { gate, operationId, runtime } = this;
    let allowed;
    try {
      allowed = await redeem(runtime, operationId, gate.options.action);
    } catch (error) {
      // It did not run, so it can still be tried.
      this.#result = undefined;
      throw error;
    }
    try {
      return await runOutside(() => gate.execute(allowed, this.args, runtime, this.self));
    } finally {
      this.isFinished = true;
    }
  }
}

/** Makes a function known under the name that the record has. */
export function register(gate: Gate): void {
  registered.set(gate.tool, gate);
}

/** Waits for the answer in the background, and runs the function after a yes. */
export function attend(
  gate: Gate,
  operationId: string,
  args: Arguments,
  runtime: Runtime,
  self: unknown,
): void {
  if (calls.has(operationId)) return;
  forgetFinished();
  const call = new ParkedCall(gate, operationId, args.keep(), runtime, self);
  calls.set(operationId, call);
  // `retry` rejects with the same error; nobody else waits for it.
  void runOutside(() => runAfterYes(call)).catch(() => undefined);
}

function forgetFinished(): void {
  if (calls.size < MAX_FINISHED) return;
  for (const [id, call] of calls) if (call.isFinished) calls.delete(id);
}

async function runAfterYes(call: ParkedCall): Promise<void> {
  while (!call.isFinished) {
    const { operationId, runtime } = call;
    if ((await waitForAnswer(runtime, operationId, LONGEST_WAIT_MS)) !== "approved") return;
    try {
      const stored = await readStored(runtime, operationId);
      if (stored.risk !== "critical") await call.runOnce();
      return;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    }
  }
}

async function readStored(runtime: Runtime, operationId: string): Promise<StoredCallResponse> {
  const session = encodeURIComponent(runtime.session);
  return await sendOrDeny(runtime, `/v1/operations/${operationId}/call?session=${session}`);
}

/** A call of the record, with the arguments of the record. */
function restore(stored: StoredCallResponse, runtime: Runtime): ParkedCall {
  const { operation_id: operationId, tool } = stored;
  const gate = registered.get(tool ?? "");
  if (gate === undefined) {
    throw new NotReplayable(operationId, `no function is registered here as "${tool}"`);
  }
  const values = stored.redacted ? undefined : gate.rules.fromRecord(stored.args);
  if (values === undefined) {
    const why = "only the process that made the call has its arguments";
    throw new NotReplayable(operationId, why);
  }
  return new ParkedCall(gate, operationId, gate.rules.bind(values), runtime, undefined);
}

/**
 * Runs a parked call with the arguments of the record, or returns what it returned already. Rejects
 * with `Pending` while it is not answered, with `Denied` if the answer was no or its time is over,
 * and with `NotReplayable` where this process cannot carry it out.
 */
export async function retry(operationId: string): Promise<unknown> {
  const runtime = currentRuntime();
  let call = calls.get(operationId);
  if (call === undefined) {
    call = restore(await readStored(runtime, operationId), runtime);
    calls.set(operationId, call);
  }
  return await call.runOnce();
}

/**
 * Takes up the calls that an earlier process of this application left waiting in this session. Call
 * it once, after the modules with gated functions are loaded. Returns the ids that were taken up.
 */
export async function resumeParked(): Promise<string[]> {
  const runtime = currentRuntime();
  const path = `/v1/consent?session=${encodeURIComponent(runtime.session)}`;
  const listed = await sendOrDeny<ConsentResponse>(runtime, path);
  const taken: string[] = [];
  for (const { operation_id: operationId, state } of listed.operations) {
    const isWaiting = state === "pending" || state === "approved";
    if (!isWaiting || calls.has(operationId)) continue;
    try {
      const call = restore(await readStored(runtime, operationId), runtime);
      attend(call.gate, operationId, call.args, runtime, undefined);
      taken.push(operationId);
    } catch (error) {
      if (!(error instanceof Denied)) throw error;
    }
  }
  return taken;
}

/** For tests: as if the process had just started. */
export function forgetCalls(): void {
  calls.clear();
}
