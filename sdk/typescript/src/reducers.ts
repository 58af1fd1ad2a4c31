// Functions that call something risky in a safe way. A declaration here marks the caller. Only the
// graph's `reducers` reduce anything, and only the operator writes them: code that could lower its own
// risk would need no gate.

import { sendOrDeny } from "./flows.js";
import { findGate } from "./gate.js";
import { currentRuntime } from "./runtime.js";
import type { ApplicationView } from "./wire.js";

export type ReducedRisk = "read_only" | "low" | "moderate";

/** While `caller` runs, `action` counts as the risk `to`: if the graph says so. */
export interface RiskReducer {
  readonly caller: string;
  readonly action: string;
  readonly to: string;
  readonly declared: boolean;
  readonly inForce: boolean;
}

const declared = new Map<string, readonly [caller: string, action: string, to: string]>();

/** Declares a gated function as a safe caller of an action, and returns it. */
export function reducesRiskFor<F extends object>(action: string, to: ReducedRisk, gated: F): F {
  const gate = findGate(gated);
  if (gate === undefined) throw new TypeError("gate the function first: requiresConsent(…)");
  const one = [gate.options.action, action, to] as const;
  declared.set(one.join(" "), one);
  return gated;
}

/** What is declared in code and what is in force by the graph, between own actions. */
export async function listRiskReducers(): Promise<RiskReducer[]> {
  const view = await sendOrDeny<ApplicationView>(currentRuntime(), "/v1/application");
  const inForce = new Map(
    view.reducers.map(({ caller, action, to }) => {
      const one = [caller, action, to] as const;
      return [one.join(" "), one];
    }),
  );
  const all = new Map([...declared, ...inForce]);
  return [...all].sort().map(([key, [caller, action, to]]) => {
    return { caller, action, to, declared: declared.has(key), inForce: inForce.has(key) };
  });
}
