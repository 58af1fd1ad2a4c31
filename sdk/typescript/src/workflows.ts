// Runs of a workflow that the graph declares: one question for the whole procedure.

import { type RunPlace, runAt } from "./context.js";
import { CountersignError, Denied } from "./errors.js";
import { LONGEST_WAIT_MS, pollUntil, sendOrDeny } from "./flows.js";
import { type Runtime, currentRuntime } from "./runtime.js";
import type { OwnRunView, StartRunResponse } from "./wire.js";

/** A run while its function runs. */
export interface WorkflowRun {
  readonly runId: string;
  /** The calls that follow belong to this step. */
  step(name: string): void;
}

/**
 * Starts a run, or asks whether it may, and ends it with the function. Gated calls inside belong to
 * the run. Rejects with `Denied` (`consent denied`) if the operator declines.
 */
export async function workflow<T>(
  name: string,
  run: (run: WorkflowRun) => T | Promise<T>,
  options: { readonly wait?: number } = {},
): Promise<T> {
  const runtime = currentRuntime();
  const waitMs = options.wait === undefined ? LONGEST_WAIT_MS : options.wait * 1000;
  const place: RunPlace = { runId: await start(runtime, name, waitMs), step: undefined };
  const step = (next: string) => {
    place.step = next;
  };
  let action = "cancel";
  try {
    const value = await runAt({ run: place }, () => run({ runId: place.runId, step }));
    action = "end";
    return value;
  } finally {
    try {
      const body = { session: runtime.session };
      await sendOrDeny(runtime, `/v1/runs/${place.runId}/${action}`, body);
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      process.emitWarning(`the end of ${name} could not be reported: ${error.message}`);
    }
  }
}

async function start(runtime: Runtime, name: string, waitMs: number): Promise<string> {
  const body = { session: runtime.session, workflow: name };
  const reply = await sendOrDeny<StartRunResponse>(runtime, "/v1/runs", body, name);
  if (reply.status === "started") return reply.run_id;
  let { note = "", sentence } = reply;
  let reason = reply.error ?? reply.reason;
  if (reply.status === "pending") {
    const path = `/v1/runs/${reply.run_id}/wait`;
    const found = await pollUntil(runtime, path, waitMs, (view: OwnRunView) =>
      view.state === "pending" ? undefined : view,
    );
    if (found && ["live", "suspended", "ended"].includes(found.state)) return reply.run_id;
    reason = found?.error ?? found?.state ?? "pending";
    note = found?.note ?? "";
    sentence = found?.sentence ?? sentence;
  }
  throw new Denied(reason, sentence, { note, rule: name });
}
