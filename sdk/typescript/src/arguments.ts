// The arguments of a call: what is sent, what is shown, and whether they are still the same.
//
// JSON is sent as it is. Another value needs a declared encoder: its bytes are hashed, and their
// beginning is shown. What the operator approves is what they could see, so the arguments are encoded
// once more before the function runs, and a change stops the call.

import { createHash } from "node:crypto";
import { Denied } from "./errors.js";
import type { Json, JsonObject } from "./wire.js";

/** What an argument that is not JSON is sent as. */
export type Encoder = (value: unknown) => string | Uint8Array;

// A value that is not sent itself has this key instead.
export const HELD = "countersign:held";
const SHOWN_CHARACTERS = 200;
const MAX_DEPTH = 64;

export interface ArgumentOptions {
  readonly params?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
  readonly secret?: readonly string[] | undefined;
  readonly encode?: Readonly<Record<string, Encoder>> | undefined;
}

export class ArgumentRules {
  readonly #shown: ReadonlySet<string> | undefined;
  readonly #secret: ReadonlySet<string>;
  readonly #encoders: ReadonlyMap<string, Encoder>;

  constructor(
    readonly name: string,
    readonly options: ArgumentOptions,
  ) {
    this.#shown = options.args && new Set(options.args);
    this.#secret = new Set(options.secret);
    this.#encoders = new Map(Object.entries(options.encode ?? {}));
    const named = [...(this.#shown ?? []), ...this.#secret, ...this.#encoders.keys()];
    for (const one of named) this.checkName(one);
  }

  /** Refuses a name that no parameter has, if the parameters are named. */
  checkName(name: string): void {
    if (this.options.params && !this.options.params.includes(name)) {
      throw new TypeError(`${this.name} has no parameter "${name}"`);
    }
  }

  bind(values: readonly unknown[]): Arguments {
    return new Arguments(this, values);
  }

  /** The arguments by name. Without `params` they are called `arg1`, `arg2` … */
  pair(values: readonly unknown[]): [string, unknown][] {
    const pairs = values.map((value, place): [string, unknown] => [
      this.options.params?.[place] ?? `arg${place + 1}`,
      value,
    ]);
    return pairs.filter(([, value]) => value !== undefined);
  }

  /** The arguments of a stored call. Undefined if only another process has them. */
  fromRecord(record: Json): Json[] | undefined {
    const isObject = typeof record === "object" && record !== null && !Array.isArray(record);
    if (this.#secret.size > 0 || !isObject || holdsMark(record)) return undefined;
    const names = this.options.params ?? Object.keys(record).map((_, place) => `arg${place + 1}`);
    if (Object.keys(record).some((name) => !names.includes(name))) return undefined;
    return names.map((name) => record[name] as Json);
  }

  encode(values: readonly unknown[]): JsonObject {
    return Object.fromEntries(
      this.pair(values).map(([name, value]) => [name, this.#encodeOne(name, value)]),
    );
  }

  #encodeOne(name: string, value: unknown): Json {
    if (this.#secret.has(name)) {
      // The daemon replaces what stands under this name before it writes anything.
      const text = typeof value === "string" ? value : dump(this.#requireJson(name, value, 0));
      return { secret: text };
    }
    const isShown = this.#shown?.has(name) ?? true;
    const encoder = this.#encoders.get(name);
    if (encoder === undefined) {
      const json = this.#requireJson(name, value, 0);
      return isShown ? json : hold(dump(json), "");
    }
    const data = encoder(value);
    return hold(data, isShown ? Buffer.from(data).toString("utf8") : "");
  }

  /** A copy in which only the types of JSON occur. */
  #requireJson(name: string, value: unknown, depth: number): Json {
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (depth < MAX_DEPTH && Array.isArray(value)) {
      return value.map((one: unknown) => this.#requireJson(name, one, depth + 1));
    }
    if (depth < MAX_DEPTH && isPlainObject(value)) {
      const copy = (one: unknown) => this.#requireJson(name, one, depth + 1);
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copy(one)]));
    }
    throw new Denied(
      "not_json",
      `the argument "${name}" of ${this.name} is not JSON (${typeof value}); declare how it is ` +
        `encoded: requiresConsent({ encode: { "${name}": encoder } }, …)`,
    );
  }
}

/** The arguments of one call, live and as they were sent. */
export class Arguments {
  readonly sent: JsonObject;
  readonly #text: string;

  constructor(
    readonly rules: ArgumentRules,
    readonly values: readonly unknown[],
  ) {
    this.sent = rules.encode(values);
    this.#text = dump(this.sent);
  }

  /**
   * The same with the values that were sent, where they are all that is needed: what the caller
   * changes later does not matter then.
   */
  keep(): Arguments {
    const kept = this.rules.fromRecord(JSON.parse(this.#text) as Json);
    return kept === undefined ? this : new Arguments(this.rules, kept);
  }

  /** Refuses to run with other arguments than those that were decided. */
  checkUnchanged(operationId: string): void {
    if (dump(this.rules.encode(this.values)) === this.#text) return;
    const sentence = `the arguments of ${this.rules.name} changed after they were sent`;
    throw new Denied("arguments_changed", sentence, { operationId });
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function hold(data: string | Uint8Array, shown: string): Json {
  const bytes = Buffer.from(data);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const held: JsonObject = { sha256, bytes: bytes.length };
  if (shown) held["shown"] = [...shown].slice(0, SHOWN_CHARACTERS).join("");
  return { [HELD]: held };
}

function holdsMark(value: Json): boolean {
  if (Array.isArray(value)) return value.some(holdsMark);
  if (typeof value !== "object" || value === null) return false;
  return HELD in value || Object.values(value).some(holdsMark);
}

/** JSON with sorted keys: the same value gives the same text. */
export function dump(value: Json): string {
  return JSON.stringify(value, (_key, one: Json) => {
    if (typeof one !== "object" || one === null || Array.isArray(one)) return one;
    return Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
