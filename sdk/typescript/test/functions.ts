// The gated functions of the tests.

import { reducesRiskFor, requiresConsent } from "../src/index.js";

export const ran: string[] = [];

export const listTasks = requiresConsent(
  { action: "tasks.list", name: "listTasks", params: ["number"] },
  (number: number) => number,
);

export const writeFile = requiresConsent(
  { action: "files.write", name: "writeFile", params: ["path"], target: "path", onPending: "raise" },
  (path: string) => {
    ran.push(path);
    return path;
  },
);

export const toggleTask = requiresConsent(
  { action: "tasks.toggle", name: "toggleTask", params: ["task"], declares: ["files.write"] },
  async (_task: string) => {
    await writeFile("master.md");
    return await writeFile("archive.md");
  },
);

export const evaluate = requiresConsent(
  { action: "vault.eval", name: "evaluate", params: ["code"], onPending: "raise" },
  (code: string) => code,
);

export const daily = reducesRiskFor(
  "vault.eval",
  "low",
  requiresConsent({ action: "tasks.brief", name: "daily" }, () => evaluate("count()")),
);

export const createTask = requiresConsent(
  { action: "tasks.create", name: "createTask", params: ["title"], target: "title", onPending: "raise" },
  async (title: string) => {
    ran.push(title);
    return title;
  },
);

export const pay = requiresConsent(
  { action: "bank.pay", name: "pay", params: ["payee", "amount"], target: "payee", onPending: "raise" },
  (_payee: string, amount: string) => amount,
);

export const sign = requiresConsent(
  { action: "tasks.create", name: "sign", params: ["key"], secret: ["key"], onPending: "raise" },
  (key: string) => key.length,
);
