// The names in `wire.ts` against the API's document.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const sdk = process.env["COUNTERSIGN_SDK"] ?? "..";
const document = JSON.parse(readFileSync(join(sdk, "../docs/openapi/agent.json"), "utf8")) as {
  components: { schemas: Record<string, Schema> };
};
const { schemas } = document.components;

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  $ref?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  const?: string;
  enum?: string[];
}

test("every field of every type is in the document with its type", () => {
  const text = readFileSync(join(sdk, "typescript/src/wire.ts"), "utf8");
  let compared = 0;
  for (const [, name = "", body = ""] of text.matchAll(/export interface (\w+) \{\n(.*?)\n\}/gs)) {
    const schema = schemas[name] ?? schemas[`${name}Output`];
    if (name === "ErrorBody") continue;
    assert.ok(schema?.properties, `the document has no ${name}`);
    for (const [, field = "", type = ""] of body.matchAll(/^  (\w+)\??: (.*);$/gm)) {
      const found = schema.properties[field];
      assert.ok(found, `${name}.${field}`);
      const kinds = kindsOf(found);
      const wanted = kindOf(type);
      const fits = wanted === undefined || kinds.size === 0 || kinds.has(wanted);
      assert.ok(fits, `${name}.${field}: ${wanted} ${[...kinds]}`);
      compared += 1;
    }
  }
  assert.ok(compared > 50, String(compared));
});

function kindOf(type: string): string | undefined {
  if (type.endsWith("[]")) return "array";
  if (type.startsWith('"') || type.startsWith("string")) return "string";
  if (type === "boolean") return "boolean";
  return /^(\{|[A-Z]\w+$)/.test(type) && type !== "Json" ? "object" : undefined;
}

function kindsOf(schema: Schema): Set<string> {
  const kinds = new Set(schema.type === undefined ? [] : [schema.type].flat());
  if (schema.enum || schema.const !== undefined) kinds.add("string");
  const reached = schema.$ref && schemas[schema.$ref.split("/").at(-1) ?? ""];
  for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(reached ? [reached] : [])]) {
    for (const kind of kindsOf(one)) kinds.add(kind);
  }
  return kinds;
}
