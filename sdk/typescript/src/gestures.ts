// Clicks: what a person started in this application needs no second question. The operator gives the
// right to a credential, for named actions (`countersign agent add … --gestures …`). Use it only where
// a person's click leads, never in code that an agent can reach.

import { type Click, runAt } from "./context.js";
import { CountersignError } from "./errors.js";
import { sendOrDeny } from "./flows.js";
import { currentRuntime } from "./runtime.js";
import type { ApplicationView, GestureResponse } from "./wire.js";

/**
 * Covers the declared actions while the function runs, a minute at most, and nothing critical. Without
 * `declares` it covers the single actions that the credential names. Rejects with `Denied` where the
 * credential has no right to it.
 */
export async function userInitiated<T>(
  label: string,
  options: { readonly declares?: readonly string[] },
  run: () => T | Promise<T>,
): Promise<T> {
  const runtime = currentRuntime();
  const { session } = runtime;
  let { declares } = options;
  if (declares === undefined) {
    const view = await sendOrDeny<ApplicationView>(runtime, "/v1/application");
    declares = (view.rights.gestures ?? []).filter((action) => !action.endsWith(".*"));
  }
  const body = { session, label, declares };
  const made = await sendOrDeny<GestureResponse>(runtime, "/v1/application/gestures", body);
  const click: Click = { gestureId: made.gesture_id, isOpen: true };
  try {
    return await runAt({ click }, run);
  } finally {
    click.isOpen = false;
    try {
      await sendOrDeny(runtime, `/v1/application/gestures/${click.gestureId}/close`, { session, label });
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      process.emitWarning(`the click ${label} could not be closed: ${error.message}`);
    }
  }
}
