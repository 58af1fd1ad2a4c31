// Asking before there is a call.

import { LONGEST_WAIT_MS, pollUntil, sendOrDeny } from "./flows.js";
import { currentRuntime } from "./runtime.js";
import type { AskAheadResponse } from "./wire.js";

export interface PermissionRequest {
  readonly action: string;
  readonly reasoning: string;
  readonly scope?: "this_call" | "this_session" | "persistent";
  readonly fallback?: string;
  readonly category?: string;
  /** Seconds to wait for the answer; without it until the question ends. */
  readonly wait?: number;
}

/** What the operator said. A no is an answer, not an error. */
export interface Permission {
  readonly granted: boolean;
  readonly scopeGranted: string | undefined;
  readonly operatorNote: string;
  readonly grantId: string;
}

/** Asks the operator ahead: what, why, and what happens without it. Waits for the answer. */
export async function requestPermission(request: PermissionRequest): Promise<Permission> {
  const runtime = currentRuntime();
  const { wait, ...asked } = request;
  const body = { session: runtime.session, ...asked };
  let reply = await sendOrDeny<AskAheadResponse>(runtime, "/v1/ask-ahead", body);
  if (reply.status === "pending" && reply.request_id !== null) {
    const waitMs = wait === undefined ? LONGEST_WAIT_MS : wait * 1000;
    const path = `/v1/ask-ahead/${reply.request_id}/wait`;
    const answered = await pollUntil(runtime, path, waitMs, (found: AskAheadResponse) =>
      found.status === "pending" ? undefined : found,
    );
    reply = answered ?? reply;
  }
  return {
    granted: reply.granted,
    scopeGranted: reply.scope_granted,
    operatorNote: reply.operator_note,
    grantId: reply.grant_id,
  };
}
