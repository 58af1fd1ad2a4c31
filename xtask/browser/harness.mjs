// A daemon of its own, agents that ask it, and Chromium as its operator's browser.
import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, writeFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import http from "node:http";
import { chromium } from "playwright-core";

export const program = process.env.COUNTERSIGN_PROGRAM;
const graph = process.env.COUNTERSIGN_GRAPH;

/** Beside those of the coding graph: what is critical, and what is asked together. */
const domains = `  bank: {trust_level: low, autonomous: [], requires_approval: [pay], blocked: [], actions: {pay: {categories: [purchase]}}}
  email: {trust_level: low, autonomous: [], requires_approval: [draft], blocked: []}
  calendar: {trust_level: low, autonomous: [], requires_approval: [create], blocked: []}
`;

export async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Asks again until something is so. */
export async function until(what, condition, patience = 15000) {
  const end = Date.now() + patience;
  for (;;) {
    const found = await condition();
    if (found) return found;
    if (Date.now() > end) throw new Error(`it never came to this: ${what}`);
    await new Promise((done) => setTimeout(done, 40));
  }
}

export class Daemon {
  static async start() {
    const daemon = new Daemon();
    daemon.root = mkdtempSync(join(tmpdir(), "countersign-browser-"));
    for (const part of ["data", "home", "work"]) mkdirSync(join(daemon.root, part), { mode: 0o700 });
    const file = join(daemon.root, "graph.yaml");
    const today = new Date().toISOString().slice(0, 10);
    const coding = readFileSync(graph, "utf8").replace(/^last_reviewed: .*$/m, `last_reviewed: ${today}`);
    writeFileSync(file, coding.replace("\ndomains:\n", `\ndomains:\n${domains}`));
    execFileSync("git", ["init", "-q", join(daemon.root, "work")]);
    execFileSync("git", ["-C", join(daemon.root, "work"), "remote", "add", "origin", "https://git.example.org/shop.git"]);
    writeFileSync(join(daemon.root, "settings.toml"), `graph = ${JSON.stringify(file)}\n`);
    daemon.agentPort = await freePort();
    daemon.port = await freePort();
    daemon.origin = `http://localhost:${daemon.port}`;
    await daemon.run();
    daemon.tokens = {};
    return daemon;
  }
  get env() {
    return { PATH: process.env.PATH, HOME: join(this.root, "home"), COUNTERSIGN_DATA: join(this.root, "data"), COUNTERSIGN_SETTINGS: join(this.root, "settings.toml") };
  }
  async run() {
    this.child = spawn(program, ["serve", "--agent-port", String(this.agentPort), "--operator-port", String(this.port)], { env: this.env, cwd: join(this.root, "work"), stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    this.child.stderr.on("data", (text) => { said += text; });
    await new Promise((done, fail) => {
      this.child.stdout.on("data", (text) => { said += text; if (said.includes("Ctrl-C")) done(); });
      this.child.on("exit", (code) => fail(new Error(`the daemon ended with ${code}: ${said}`)));
    });
    this.child.removeAllListeners("exit");
  }
  async halt() {
    const ended = new Promise((done) => this.child.on("exit", done));
    this.child.kill("SIGTERM");
    await ended;
  }
  async stop() {
    await this.halt();
    rmSync(this.root, { recursive: true, force: true });
  }
  cli(...words) {
    return execFileSync(program, words, { env: this.env, cwd: join(this.root, "work"), encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  }
  /** A request to a plane, with the credential of an agent or of the operator. */
  async send(plane, method, path, body, headers = {}) {
    const port = plane === "operator" ? this.port : this.agentPort;
    const token = plane === "operator" ? readFileSync(join(this.root, "data/operator.token"), "utf8").trim() : this.token(plane);
    return request(port, method, path, { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers }, body && JSON.stringify(body));
  }
  token(agent) {
    this.tokens[agent] ??= this.cli("agent", "add", agent, "--adapter");
    return this.tokens[agent];
  }
  /** A call of an agent: the reply of the daemon. */
  async call(agent, fields) {
    const reply = await this.send(agent, "POST", "/v1/check", { session: "s1", project: join(this.root, "work"), ...fields });
    if (!reply.json?.outcome) throw new Error(`${agent}: ${reply.status} ${reply.text}`);
    return reply.json;
  }
  async waiting() {
    return (await this.send("operator", "GET", "/v1/requests")).json.requests;
  }
  async requestOf(operation) {
    return (await this.waiting()).find((card) => card.calls.includes(operation))?.request;
  }
  /** What became of a call. */
  async state(agent, operation) {
    return (await this.send(agent, "GET", `/v1/operations/${operation}?session=s1`)).json?.state;
  }
}

export function request(port, method, path, headers = {}, body = undefined, host = "127.0.0.1") {
  return new Promise((done, fail) => {
    const sent = http.request({ host, port, method, path, headers: body ? { ...headers, "content-length": Buffer.byteLength(body) } : headers }, (reply) => {
      let text = "";
      reply.setEncoding("utf8");
      reply.on("data", (part) => { text += part; });
      reply.on("end", () => {
        let json;
        try { json = JSON.parse(text); } catch { /* a page */ }
        done({ status: reply.statusCode, headers: reply.headers, text, json });
      });
    });
    sent.on("error", fail);
    sent.end(body);
  });
}

export async function startBrowser(root) {
  return chromium.launch({
    executablePath: process.env.COUNTERSIGN_CHROMIUM,
    headless: true,
    args: ["--no-sandbox", "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    env: { ...process.env, HOME: root },
  });
}

/** Starts `countersign open --print` at a terminal of its own. */
export async function openLink(daemon) {
  const child = spawn("script", ["-qec", `${program} open --print`, "/dev/null"], { env: { ...daemon.env, TERM: "dumb" }, stdio: ["pipe", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (text) => { said += text; });
  const ended = new Promise((done) => child.on("exit", done));
  const url = await until("a link", () => said.match(/http:\/\/\S+/)?.[0]);
  return { url, type: async (text) => { child.stdin.write(`${text}\n`); const code = await ended; return { code, said }; } };
}

/** Logs a browser in, as a person does. Returns the address of the dashboard. */
export async function logIn(daemon, page, hasScript = true) {
  const link = await openLink(daemon);
  await page.goto(link.url);
  const code = (await page.locator("#login-code").innerText()).trim();
  const { code: exit, said } = await link.type(code);
  if (exit !== 0) throw new Error(said);
  if (!hasScript) await page.getByRole("link", { name: "I have typed them" }).click();
  await page.waitForURL((url) => !url.pathname.includes("/login/"));
  await page.waitForSelector("#main");
  return page.url().replace(/[?#].*$/, "");
}

export const settle = (page) => page.waitForTimeout(450);
