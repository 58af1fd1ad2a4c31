// Gated calls on a running daemon: what runs, what does not, and what the caller sees.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, beforeEach, test } from "node:test";
import {
  Denied,
  NotReplayable,
  Pending,
  Unavailable,
  configure,
  listRiskReducers,
  reducesRiskFor,
  requestPermission,
  requiresConsent,
  resumeParked,
  retry,
  userInitiated,
  workflow,
} from "../src/index.js";
import { Daemon } from "./daemon.js";
import { createTask, daily, evaluate, listTasks, pay, ran, sign, toggleTask, writeFile } from "./functions.js";

let daemon: Daemon;
before(async () => {
  daemon = await Daemon.open();
});
after(() => daemon.close());
beforeEach(() => {
  ran.length = 0;
  daemon.connect();
});

/** The call that asked. */
async function pending(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Pending, String(error));
  return error.operationId;
}

test("an allowed function runs and its end is reported", async () => {
  assert.equal(await listTasks(3), 3);
  assert.equal(daemon.ends().at(-1), "done");
});

test("a blocked function does not run", async () => {
  const wipe = requiresConsent({ action: "tasks.wipe", name: "wipe" }, () => ran.push("wipe"));
  await assert.rejects(wipe(), { name: "Denied", reason: "blocked", rule: "tasks.wipe" });
  assert.deepEqual(ran, []);
});

test("a call waits for the answer, and a no reaches the caller with its note", async () => {
  const create = requiresConsent(
    { action: "tasks.create", target: "title", params: ["title"], name: "create" },
    (title: string) => title,
  );
  const [created, card] = await Promise.all([create("letter"), daemon.answer("once")]);
  assert.equal(created, "letter");
  assert.ok(card.lines.some((line) => line.includes("letter")));
  const declined = create("other").catch((error: unknown) => error);
  await daemon.answer("decline", "not today");
  const error = await declined;
  assert.ok(error instanceof Denied);
  assert.deepEqual([error.reason, error.note], ["declined_before", "not today"]);
});

test("an exception is passed on and reported as failed", async () => {
  const fail = requiresConsent({ action: "tasks.list", name: "fail" }, () => {
    throw new RangeError("no such list");
  });
  await assert.rejects(fail(), RangeError);
  assert.equal(daemon.ends().at(-1), "failed");
});

test("a once grant runs one call, and later retries return its result", async () => {
  const operation = await pending(createTask("once"));
  await assert.rejects(retry(operation), Pending);
  await daemon.answer("once");
  const results = await Promise.all(Array.from({ length: 8 }, () => retry(operation)));
  assert.deepEqual([results, ran], [Array(8).fill("once"), ["once"]]);
  assert.equal(await daemon.state(operation), "done");
  await pending(createTask("once"));
  await daemon.answer("decline");
});

test("a yes later runs the function in the background, with the arguments of the record", async () => {
  const tags = ["a"];
  let done: (tags: string[]) => void = () => undefined;
  const finished = new Promise<string[]>((resolve) => {
    done = resolve;
  });
  const tag = requiresConsent(
    { action: "tasks.create", name: "tag", onPending: "raise" },
    (given: string[]) => done(given),
  );
  await pending(tag(tags));
  tags.push("b");
  await daemon.answer("once");
  assert.deepEqual(await finished, ["a"]);
});

test("a critical call runs only by an explicit retry", async () => {
  const operation = await pending(pay("printer", "42.00"));
  await daemon.answer("once");
  assert.equal(await daemon.state(operation), "approved");
  assert.equal(await retry(operation), "42.00");
});

test("calls inside a declared one ride on its consent, and no others", async () => {
  const [value, card] = await Promise.all([toggleTask("letter"), daemon.answer("once")]);
  assert.equal(value, "archive.md");
  assert.match(JSON.stringify(card.items), /files\.write/);
  assert.deepEqual(ran, ["master.md", "archive.md"]);
  await pending(writeFile("master.md"));
  await daemon.answer("decline");
});

test("a promise that outlives its call is not inside any more", async () => {
  let go: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const brief = requiresConsent({ action: "tasks.brief", name: "brief" }, async () => {
    const late = gone.then(() => evaluate("late"));
    return { inside: await evaluate("inside"), late: { promise: late } };
  });
  const { inside, late } = await brief();
  assert.equal(inside, "inside");
  go();
  await pending(late.promise);
  await daemon.answer("decline");
});

test("a reducer counts only if the graph lists it", async () => {
  assert.equal(await daily(), "count()");
  await pending(evaluate("count()"));
  await daemon.answer("decline");
  reducesRiskFor("bank.pay", "low", listTasks);
  const listed = await listRiskReducers();
  const [shop, brief] = ["tasks.list", "tasks.brief"].map((caller) =>
    listed.find((one) => one.caller === caller),
  );
  assert.deepEqual([shop?.declared, shop?.inForce], [true, false]);
  assert.deepEqual([brief?.declared, brief?.inForce], [true, true]);
  assert.throws(() => reducesRiskFor("vault.eval", "low", () => 1), TypeError);
});

test("a click covers what it declares while it is open, and nothing critical", async () => {
  await userInitiated("dashboard.click", { declares: ["tasks.create", "bank.pay"] }, async () => {
    assert.equal(await createTask("a click"), "a click");
    await pending(pay("printer", "7.00"));
  });
  await daemon.answer("decline");
  await pending(createTask("a click"));
  await daemon.answer("decline");
  const foreign = userInitiated("x", { declares: ["files.write"] }, () => 1);
  await assert.rejects(foreign, Denied);
  const agent = daemon.run("agent", "add", "claude").trim();
  daemon.connect(agent);
  await assert.rejects(userInitiated("x", {}, () => 1), Denied);
  const operation = await pending(daily());
  assert.ok(operation);
  await daemon.answer("decline");
});

test("a run asks once, and a declined start does not run", async () => {
  const release = () =>
    workflow("release", async (run) => {
      run.step("tag");
      return (await createTask("v1")) + (await createTask("v2"));
    });
  const [value] = await Promise.all([release(), daemon.answer("once")]);
  assert.equal(value, "v1v2");
  const declined = release().catch((error: unknown) => error);
  await daemon.answer("decline", "not on a friday");
  const error = await declined;
  assert.ok(error instanceof Denied);
  assert.deepEqual([error.reason, error.note], ["consent denied", "not on a friday"]);
});

test("asking ahead gives the fields of the answer", async () => {
  const asked = {
    action: "Overwrite api.md",
    reasoning: "the schema changed",
    scope: "this_session",
    category: "filesystem_write",
  } as const;
  const [found] = await Promise.all([requestPermission(asked), daemon.answer("session", "go on")]);
  assert.deepEqual([found.granted, found.scopeGranted], [true, "this_session"]);
});

test("a thousand calls at once", async () => {
  const numbers = Array.from({ length: 1000 }, (_, number) => number);
  assert.deepEqual(await Promise.all(numbers.map((number) => listTasks(number))), numbers);
});

test("a daemon that restarts while a call waits", async () => {
  const create = requiresConsent({ action: "tasks.create", name: "create" }, (title: string) => title);
  const waiting = create("restart");
  await daemon.waitForCard();
  await daemon.stop();
  await daemon.start();
  await daemon.answer("once");
  assert.equal(await waiting, "restart");
});

test("a killed process leaves its running call unknown", async () => {
  const child = startChild("hang");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const operation = String((await lines.next()).value);
  assert.equal(await daemon.state(operation), "executing");
  child.kill("SIGKILL");
  while ((await daemon.state(operation)) === "executing");
  assert.equal(await daemon.state(operation), "unknown");
});

test("a new process takes up what the last one left", async () => {
  const child = startChild("park");
  const left: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) left.push(line);
  const [task, critical, secret] = left as [string, string, string];
  for (let answered = 0; answered < 3; answered += 1) await daemon.answer("once");
  assert.deepEqual(new Set(await resumeParked()), new Set([task, critical]));
  assert.equal(await retry(task), "from the child");
  assert.equal(await retry(critical), "43.00");
  assert.deepEqual(ran, ["from the child"]);
  await assert.rejects(retry(secret), NotReplayable);
  assert.equal(await daemon.state(secret), "approved");
});

test("a secret is in no record and replays here", async () => {
  const operation = await pending(sign("tr0ub4dor"));
  const card = await daemon.answer("once");
  assert.doesNotMatch(JSON.stringify(card), /tr0ub4dor/);
  assert.equal(await retry(operation), 9);
  assert.doesNotMatch(daemon.run("ledger", "export"), /tr0ub4dor/);
});

test("an unlisted action asks and the error names the lines to add", async () => {
  const thing = requiresConsent({ action: "new.thing", name: "thing", onPending: "raise" }, () => 1);
  await assert.rejects(thing(), /new: \{autonomous: \[\], requires_approval: \[thing\]/);
  await daemon.answer("decline");
});

test("without a daemon nothing runs, and the error says how to start it", async () => {
  configure({ socket: "/nonexistent/agent.sock" });
  await assert.rejects(listTasks(1), (error: Error) => {
    return error instanceof Unavailable && error.message.includes("countersign serve");
  });
});

function startChild(what: string) {
  const env = {
    ...process.env,
    COUNTERSIGN_SOCKET: daemon.socket,
    COUNTERSIGN_TOKEN: daemon.token,
    COUNTERSIGN_SESSION: daemon.session,
  };
  const script = new URL("./child.js", import.meta.url).pathname;
  return spawn(process.execPath, [script, what], { env, stdio: ["pipe", "pipe", "inherit"] });
}
