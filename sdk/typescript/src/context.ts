// Where in the program a call is made: inside which call, run and click. It follows `await`, timers
// and callbacks by itself.

import { AsyncLocalStorage } from "node:async_hooks";

/** A gated call while its function runs. */
export interface RunningCall {
  readonly operationId: string;
  readonly parentToken: string | undefined;
  readonly outer: RunningCall | undefined;
  isRunning: boolean;
}

export interface RunPlace {
  readonly runId: string;
  step: string | undefined;
}

/** A click of a person, as long as it is open. */
export interface Click {
  readonly gestureId: string;
  isOpen: boolean;
}

export interface CallPlace {
  readonly call?: RunningCall | undefined;
  readonly run?: RunPlace | undefined;
  readonly click?: Click | undefined;
}

const storage = new AsyncLocalStorage<CallPlace>();

export function currentPlace(): CallPlace {
  return storage.getStore() ?? {};
}

/** Runs a function at this place; what is not named stays as it is around it. */
export function runAt<T>(place: CallPlace, run: () => T): T {
  return storage.run({ ...currentPlace(), ...place }, run);
}

/** Runs a function outside of every call, run and click. */
export function runOutside<T>(run: () => T): T {
  return storage.run({}, run);
}

/** The innermost call that still runs. A promise can outlive the call that started it. */
export function findParent(): RunningCall | undefined {
  let call = currentPlace().call;
  while (call !== undefined && !call.isRunning) call = call.outer;
  return call;
}
