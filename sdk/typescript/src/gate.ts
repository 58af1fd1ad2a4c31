// `requiresConsent`: a function that runs only after a durable allow.

import { ArgumentRules, type Arguments, type Encoder } from "./arguments.js";
import { currentPlace, findParent, runAt, type RunningCall } from "./context.js";
import { CountersignError, Pending } from "./errors.js";
import { type Allowed, LONGEST_WAIT_MS, check, report } from "./flows.js";
import { attend, register } from "./parked.js";
import { type Runtime, currentRuntime } from "./runtime.js";
import type { CallContext, CheckRequest } from "./wire.js";

export type Risk = "read_only" | "low" | "moderate" | "high" | "critical";

export interface ConsentOptions {
  /** What the graph calls the deed, `domain.verb`. */
  readonly action: string;
  /** How the record names the function; by default the function's own name. */
  readonly name?: string;
  /** The names of the parameters, in order: the card shows them. By default `arg1`, `arg2` … */
  readonly params?: readonly string[];
  /** Raises the risk of the graph; it never lowers it. */
  readonly risk?: Risk;
  /** The name of a parameter, or a function of the arguments: path, recipient, branch. */
  readonly target?: string | ((...args: readonly unknown[]) => string);
  /** The parameters that the operator sees; of the others only a hash is sent. */
  readonly args?: readonly string[];
  /** Parameters whose values the daemon seals before it writes anything. */
  readonly secret?: readonly string[];
  /** For parameters that are not JSON: their bytes are hashed, and the beginning is shown. */
  readonly encode?: Readonly<Record<string, Encoder>>;
  /** Kinds of harm that this call adds. */
  readonly categories?: readonly string[];
  /** Actions of gated calls inside: they are asked about together, before it runs. */
  readonly declares?: readonly string[];
  readonly irreversible?: boolean;
  readonly reason?: string;
  /** Seconds to wait for an answer; without it until the question ends. */
  readonly wait?: number;
  /**
   * `"raise"` rejects with `Pending` instead of waiting. When the answer is yes, this process runs
   * the function in the background, with the same arguments.
   */
  readonly onPending?: "wait" | "raise";
}

type AnyFunction = (...args: never[]) => unknown;

export type Gated<F extends AnyFunction> = (
  this: ThisParameterType<F>,
  ...args: Parameters<F>
) => Promise<Awaited<ReturnType<F>>>;

type Run = (...args: readonly unknown[]) => unknown;

const gates = new WeakMap<object, Gate>();

export function findGate(gated: object): Gate | undefined {
  return gates.get(gated);
}

/** One function and how its calls are decided. */
export class Gate {
  readonly rules: ArgumentRules;
  readonly tool: string;
  readonly #waitMs: number;

  constructor(
    readonly run: Run,
    readonly options: ConsentOptions,
    name: string,
  ) {
    this.tool = options.name ?? name;
    if (!this.tool) throw new TypeError("name the function: requiresConsent({ name: … }, …)");
    this.rules = new ArgumentRules(this.tool, options);
    if (typeof options.target === "string") this.rules.checkName(options.target);
    const otherwise = options.onPending === "raise" ? 0 : LONGEST_WAIT_MS;
    this.#waitMs = options.wait === undefined ? otherwise : options.wait * 1000;
  }

  /** Asks, and runs the function if it may run. */
  async call(self: unknown, values: readonly unknown[]): Promise<unknown> {
    const runtime = currentRuntime();
    const args = this.rules.bind(values);
    const request = this.#describe(args, runtime.session);
    let allowed: Allowed;
    try {
      allowed = await check(runtime, request, this.#waitMs);
    } catch (error) {
      if (error instanceof Pending) attend(this, error.operationId, args, runtime, self);
      throw error;
    }
    return await this.execute(allowed, args, runtime, self);
  }

  /** Runs the function and reports how it ended. */
  async execute(
    allowed: Allowed,
    args: Arguments,
    runtime: Runtime,
    self: unknown,
  ): Promise<unknown> {
    const call: RunningCall = { ...allowed, outer: findParent(), isRunning: true };
    let effect: "done" | "failed" = "failed";
    try {
      args.checkUnchanged(allowed.operationId);
      const value: unknown = await runAt({ call }, () => this.run.apply(self, [...args.values]));
      effect = "done";
      return value;
    } finally {
      call.isRunning = false;
      try {
        await report(runtime, allowed.operationId, effect);
      } catch (error) {
        if (!(error instanceof CountersignError)) throw error;
        const what = `the end of ${this.tool} (${allowed.operationId}) could not be reported`;
        process.emitWarning(`${what}: ${error.message}`, "CountersignWarning");
      }
    }
  }

  #describe(args: Arguments, session: string): CheckRequest {
    const { options } = this;
    const place = currentPlace();
    const context: CallContext = {};
    const token = findParent()?.parentToken;
    if (token !== undefined) context.parent = token;
    if (place.click?.isOpen) context.gesture = place.click.gestureId;
    const target = this.#findTarget(args);
    return {
      session,
      tool: this.tool,
      actions: [options.action],
      declares: [...(options.declares ?? [])],
      args: args.sent,
      categories: [...(options.categories ?? [])],
      irreversible: options.irreversible ?? false,
      reason: options.reason ?? "",
      ...(options.risk && { risk: options.risk }),
      ...(target !== undefined && { target: [target] }),
      ...(place.run && { run: place.run.runId }),
      ...(place.run?.step && { step: place.run.step }),
      ...(Object.keys(context).length > 0 && { context }),
    };
  }

  #findTarget(args: Arguments): string | undefined {
    const { target } = this.options;
    if (target === undefined) return undefined;
    if (typeof target === "function") return target(...args.values);
    const found = this.rules.pair(args.values).find(([name]) => name === target);
    return found && String(found[1]);
  }
}

/**
 * Gates a function: it runs only after Countersign has allowed the call. The gated function returns a
 * promise. It rejects with `Denied`, `Pending` or `Unavailable` where the function did not run.
 *
 * With the options alone it is a decorator of methods: `@requiresConsent({ action: "tasks.create" })`.
 */
export function requiresConsent<F extends AnyFunction>(options: ConsentOptions, run: F): Gated<F>;
export function requiresConsent(
  options: ConsentOptions,
): <F extends AnyFunction>(method: F, context: ClassMethodDecoratorContext) => Gated<F>;
export function requiresConsent<F extends AnyFunction>(
  options: ConsentOptions,
  run?: F,
): Gated<F> | ((method: F, context: ClassMethodDecoratorContext) => Gated<F>) {
  if (run !== undefined) return wrap<F>(options, run, run.name);
  return (method: F, context: ClassMethodDecoratorContext) => wrap<F>(options, method, String(context.name));
}

function wrap<F extends AnyFunction>(options: ConsentOptions, run: F, name: string): Gated<F> {
  const gate = new Gate(run as unknown as Run, options, name);
  register(gate);
  const gated = function (this: ThisParameterType<F>, ...args: Parameters<F>) {
    return gate.call(this, args) as Promise<Awaited<ReturnType<F>>>;
  };
  gates.set(gated, gate);
  return gated;
}
