// An application of its own, which a test kills or lets end.

import { Pending, requiresConsent } from "../src/index.js";
import { currentPlace } from "../src/context.js";
import { createTask, pay, sign } from "./functions.js";

const hang = requiresConsent({ action: "tasks.list", name: "hang" }, async () => {
  console.log(currentPlace().call?.operationId);
  process.stdin.resume();
  await new Promise(() => undefined);
});

async function park(): Promise<void> {
  for (const call of [() => createTask("from the child"), () => pay("printer", "43.00"), () => sign("key")]) {
    await call().catch((error: unknown) => {
      if (error instanceof Pending) console.log(error.operationId);
    });
  }
  process.exit(0);
}

await (process.argv[2] === "hang" ? hang() : park());
