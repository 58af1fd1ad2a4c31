// What of a call's arguments is sent, and what is refused. No daemon is needed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ArgumentRules, HELD } from "../src/arguments.js";
import { Denied, requiresConsent } from "../src/index.js";

const plain = new ArgumentRules("f", { params: ["a", "b"] });

test("json is sent as it is, and restored", () => {
  const args = plain.bind([{ k: [1, null] }, "x"]);
  assert.deepEqual(args.sent, { a: { k: [1, null] }, b: "x" });
  assert.deepEqual(plain.fromRecord(args.sent), [{ k: [1, null] }, "x"]);
  assert.equal(plain.fromRecord({ c: 1 }), undefined);
});

test("what is not json needs an encoder", () => {
  const circle: unknown[] = [];
  circle.push(circle);
  const values = [new Date(), new Map(), Buffer.from("x"), 1n, NaN, Infinity, () => 1, [undefined], circle];
  for (const value of values) {
    assert.throws(() => plain.bind([value]), (error) => error instanceof Denied && error.reason === "not_json");
  }
});

test("an encoded value is hashed and its beginning shown", () => {
  const rules = new ArgumentRules("f", { params: ["a"], encode: { a: (value) => `${String(value)}${"x".repeat(500)}` } });
  const held = (rules.bind(["file"]).sent["a"] as Record<string, { sha256: string; shown: string; bytes: number }>)[HELD];
  assert.deepEqual([held?.sha256.length, held?.shown.length, held?.bytes], [64, 200, 504]);
});

test("what is not shown still counts, and a secret stands where the daemon seals it", () => {
  const rules = new ArgumentRules("f", { params: ["a", "b"], args: ["a"], secret: ["b"] });
  assert.deepEqual(rules.bind([1, "hunter2"]).sent["b"], { secret: "hunter2" });
  const hidden = new ArgumentRules("f", { params: ["a", "b"], args: ["a"] });
  const [one, two] = ["one", "two"].map((body) => hidden.bind([1, body]).sent);
  assert.notDeepEqual(one, two);
  assert.doesNotMatch(JSON.stringify(one), /"one"/);
  assert.equal(hidden.fromRecord(one ?? null), undefined);
});

test("arguments that change after they were sent stop the call", () => {
  const tags = ["a"];
  const args = plain.bind([tags]);
  const kept = args.keep();
  args.checkUnchanged("c0");
  tags.push("b");
  assert.throws(() => args.checkUnchanged("c0"), { reason: "arguments_changed" });
  kept.checkUnchanged("c0");
});

test("mistakes of a declaration are found at once", () => {
  for (const options of [{ target: "c" }, { args: ["c"] }, { secret: ["c"] }, { encode: { c: String } }]) {
    const all = { action: "tasks.list", name: "f", params: ["a"], ...options };
    assert.throws(() => requiresConsent(all, () => 1), TypeError);
  }
  assert.throws(() => requiresConsent({ action: "tasks.list" }, (() => () => 1)()), TypeError);
});
