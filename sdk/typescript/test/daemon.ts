// A daemon of one test, with its record in a temporary folder.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Connections } from "../src/http.js";
import { forgetCalls } from "../src/parked.js";
import { configure, currentRuntime } from "../src/runtime.js";

export const GRAPH = `
domains:
  tasks:
    autonomous: [list, brief]
    requires_approval: [create, toggle]
    blocked: [wipe]
  files: {autonomous: [], requires_approval: [write], blocked: []}
  vault:
    autonomous: []
    requires_approval: [eval]
    blocked: []
    actions: {eval: {risk: high}}
  bank:
    autonomous: []
    requires_approval: [pay]
    blocked: []
    actions: {pay: {categories: [purchase]}}
reducers: [{caller: tasks.brief, action: vault.eval, to: low}]
workflows:
  release: {actions: [tasks.create], steps: [{name: tag, actions: [tasks.create]}]}
`;
const ACTIONS = "tasks.*,files.*,vault.*,bank.*,new.*";
const GESTURES = "tasks.create,bank.pay";

interface Card {
  request: string;
  risk: string;
  digest: string;
  lines: string[];
  items: { action: string }[];
  confirm: { typed: string } | null;
}

export class Daemon {
  readonly folder = mkdtempSync(join(tmpdir(), "countersign-"));
  readonly socket = join(this.folder, "data", "agent.sock");
  readonly #operator = new Connections({
    socket: join(this.folder, "data", "operator.sock"),
    token: undefined,
  });
  readonly #binary = process.env["COUNTERSIGN_BINARY"] ?? "countersign";
  #process: ChildProcess | undefined;
  #sessions = 0;
  session = "";
  token = "";

  static async open(): Promise<Daemon> {
    const daemon = new Daemon();
    writeFileSync(join(daemon.folder, "graph.yaml"), GRAPH);
    await daemon.start();
    const rights = ["--application", "--actions", ACTIONS, "--gestures", GESTURES];
    daemon.token = daemon.run("agent", "add", "shop", ...rights).trim();
    daemon.connect();
    return daemon;
  }

  environment(): NodeJS.ProcessEnv {
    const kept = Object.entries(process.env).filter(([key]) => !key.startsWith("COUNTERSIGN"));
    return {
      ...Object.fromEntries(kept),
      HOME: join(this.folder, "home"),
      COUNTERSIGN_DATA: join(this.folder, "data"),
      COUNTERSIGN_GRAPH: join(this.folder, "graph.yaml"),
    };
  }

  async start(): Promise<void> {
    const stdio: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];
    const child = spawn(this.#binary, ["serve", "--no-http"], { env: this.environment(), stdio });
    this.#process = child;
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith("ready")) return;
    }
    throw new Error("the daemon did not start");
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }

  run(...words: string[]): string {
    return execFileSync(this.#binary, words, { env: this.environment(), encoding: "utf8", maxBuffer: 1 << 28 });
  }

  /** This process is the application, as if it had just started, in a session of its own. */
  connect(token = this.token): void {
    forgetCalls();
    this.#sessions += 1;
    this.session = `s${this.#sessions}`;
    configure({ socket: this.socket, token, session: this.session });
  }

  async cards(): Promise<Card[]> {
    const path = "/v1/requests";
    return (await this.#operator.send<{ requests: Card[] }>({ method: "GET", path })).requests;
  }

  async waitForCard(): Promise<Card> {
    for (;;) {
      const [card] = await this.cards();
      if (card !== undefined) return card;
    }
  }

  /** Answers the oldest open question, every item of it. */
  async answer(choice: string, note = ""): Promise<Card> {
    const card = await this.waitForCard();
    const surface = "test";
    const shown = { request: card.request, surface, evidence: "requested", shown: "whole" };
    await this.#post("/v1/deliveries", shown);
    const items = Object.fromEntries(card.items.map(({ action }) => [action, choice]));
    const chosen = card.items.length > 1 ? { items } : { choice };
    const confirm = card.confirm && choice !== "decline" ? { confirm: card.confirm.typed } : {};
    const answer = { digest: card.digest, ...chosen, ...confirm, note, surface };
    await this.#post(`/v1/requests/${card.request}/answer`, answer);
    return card;
  }

  async state(operationId: string): Promise<string> {
    const path = `/v1/operations/${operationId}?session=${this.session}`;
    const { connections } = currentRuntime();
    return (await connections.send<{ state: string }>({ method: "GET", path })).state;
  }

  /** How the calls of the record ended, the oldest first. */
  ends(): string[] {
    const lines = this.run("ledger", "export").trim().split("\n");
    const entries = lines.map((line) => {
      const { entry } = JSON.parse(line) as { entry: string };
      return JSON.parse(entry) as { kind: string; body: { effect: string } };
    });
    return entries.filter(({ kind }) => kind === "call_completed").map(({ body }) => body.effect);
  }

  async close(): Promise<void> {
    currentRuntime().connections.close();
    this.#operator.close();
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #post(path: string, body: object): Promise<void> {
    await this.#operator.send({ method: "POST", path, body });
  }
}
