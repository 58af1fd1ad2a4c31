// What a person, and whoever attacks one, does with the dashboard in a real browser.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Daemon, freePort, logIn, openLink, request, settle, startBrowser, until } from "./harness.mjs";
import { hostile, shell } from "./scenes.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const isShort = process.argv.includes("--short");
let passed = 0;
const differences = [];

const only = process.env.COUNTERSIGN_ONLY;
async function check(name, act) {
  if (only && base && !name.includes(only)) return;
  const start = Date.now();
  try {
    await act();
    passed += 1;
    console.log(`ok    ${name} (${Date.now() - start} ms)`);
  } catch (error) {
    differences.push(name);
    console.log(`DIFF  ${name}: ${error.stack.split("\n").slice(0, 4).join("\n        ")}`);
  }
}
function equal(found, wanted, what = "") {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${what} is ${JSON.stringify(found)} and not ${JSON.stringify(wanted)}`);
}
function holds(condition, what) {
  if (!condition) throw new Error(`not so: ${what}`);
}

const daemon = await Daemon.start();
const browser = await startBrowser(daemon.root);
const wide = { viewport: { width: 1280, height: 800 } };
const context = await browser.newContext(wide);
const page = await context.newPage();
page.setDefaultTimeout(8000);
const problems = [];
page.on("console", (said) => { if (said.type() === "error" && /Content Security|Refused to/.test(said.text())) problems.push(said.text()); });
page.on("pageerror", (error) => problems.push(String(error)));
let base;

/** A call that waits, and its card on the page. */
async function ask(fields, agent = "claude") {
  const reply = await daemon.call(agent, fields);
  equal(reply.outcome, "ask", `${JSON.stringify(fields).slice(0, 80)}: the outcome (${reply.sentence})`);
  const request = await daemon.requestOf(reply.operation_id);
  return { operation: reply.operation_id, request, agent };
}
async function show(asked, on = page) {
  await on.goto(`${base}?r=${asked.request}`);
  await on.waitForSelector(`#card[data-request="${asked.request}"]`);
  await settle(on);
}
const stateOf = (asked) => daemon.state(asked.agent, asked.operation);
let serial = 0;
const paid = () => ({ actions: ["bank.pay"], args: { amount: `${(serial += 1)}.00`, currency: "EUR", to: "Acme Hosting" }, target: "Acme Hosting" });
const drafted = (more = {}) => ({ actions: ["email.draft"], args: { subject: `number ${(serial += 1)}` }, target: `list-${serial}@example.org`, ...more });
const said = (on = page) => on.locator("#message").innerText();

try {
  await check("without a session the root page says how to open the dashboard, and nothing else", async () => {
    const root = await request(daemon.port, "GET", "/", { host: `localhost:${daemon.port}` });
    holds(root.status === 200 && root.text.includes("countersign open") && !root.text.includes("/d/"), root.text);
    const wrong = await request(daemon.port, "GET", `/d/${"0".repeat(32)}/`, { host: `localhost:${daemon.port}` });
    equal([wrong.status, wrong.json?.error?.code], [401, "unauthenticated"]);
    const numeric = await request(daemon.port, "GET", "/", { host: `127.0.0.1:${daemon.port}` });
    equal([numeric.status, numeric.headers.location], [308, `${daemon.origin}/`]);
  });
  await check("characters that no browser shows end a login", async () => {
    const link = await openLink(daemon);
    await page.goto(link.url);
    const { code } = await link.type("222222");
    holds(code !== 0, "the command fails");
    await page.goto(link.url);
    holds((await page.innerText("main")).includes("not open here"), "the link is over");
  });
  await check("the characters of the page let this browser in, and the link lets no other in", async () => {
    const link = await openLink(daemon);
    await page.goto(link.url);
    const other = await (await browser.newContext()).newPage();
    await other.goto(link.url);
    const [own, theirs] = [(await page.innerText("#login-code")).trim(), (await other.innerText("#login-code")).trim()];
    holds(own !== theirs && /^[2-9A-Z]{6}$/.test(own), `${own} ${theirs}`);
    equal((await link.type(own)).code, 0, "the command");
    await page.waitForURL((url) => !url.pathname.includes("/login/"));
    base = page.url().replace(/[?#].*$/, "");
    await other.goto(link.url);
    holds((await other.innerText("main")).includes("not open here"), "a second browser stays out");
    await other.goto(base);
    holds((await other.innerText("main")).includes("not logged in"), "also if it knows the address");
    await other.context().close();
    const cookie = (await context.cookies(base)).find((one) => one.name === "countersign");
    equal([cookie.httpOnly, cookie.sameSite, cookie.path], [true, "Strict", new URL(base).pathname]);
  });
  await check("an agent's credential opens nothing", async () => {
    const token = { authorization: `Bearer ${daemon.token("claude")}`, "content-type": "application/json" };
    const operator = await request(daemon.port, "POST", "/v1/dashboard/logins", token, "{}");
    equal(operator.json.error.code, "wrong_plane");
    const agent = await request(daemon.agentPort, "POST", "/v1/dashboard/logins", token, "{}");
    equal(agent.json.error.code, "no_route");
    const dashboard = await request(daemon.port, "GET", new URL(base).pathname, { ...token, host: `localhost:${daemon.port}` });
    equal(dashboard.status, 401);
    const other = await request(daemon.agentPort, "GET", new URL(base).pathname, { ...token, host: `localhost:${daemon.agentPort}` });
    equal(other.json.error.code, "no_route");
  });
  await check("an empty page fills by itself when an agent asks, and one click allows it once", async () => {
    await page.goto(base);
    holds((await page.innerText("main")).includes("Nothing waits for you"), "it says that nothing waits");
    const asked = await ask(drafted());
    await page.waitForFunction((request) => document.querySelector(`#card[data-request="${request}"]`) && document.querySelector("#allow-once").disabled, asked.request);
    await page.waitForSelector(`#card[data-request="${asked.request}"]`);
    holds((await page.title()).startsWith("(1)"), await page.title());
    holds((await page.innerText("#announcer")).includes("claude asks."), "a screen reader hears it");
    await settle(page);
    await page.click("#allow-once");
    await page.waitForSelector("#message.done");
    equal(await stateOf(asked), "approved");
    holds((await said()).startsWith("Allowed once"), await said());
  });
  await check("a decline takes a note along, and one that stops ends the session's consent", async () => {
    const asked = await ask(drafted());
    await show(asked);
    await page.fill("#note", "not to that list");
    await page.keyboard.press("Enter");
    await page.waitForTimeout(300);
    equal(await stateOf(asked), "pending", "Enter alone answers nothing; the call");
    await page.click("#decline");
    await page.waitForSelector("#message.done");
    equal(await stateOf(asked), "declined");
    const again = await daemon.send("claude", "POST", `/v1/operations/${asked.operation}/retry`, { session: "s1" });
    holds(again.text.includes("not to that list"), again.text);
  });
  await check("the parts of a bundle are answered one by one", async () => {
    const asked = await ask({ actions: ["email.draft", "calendar.create"], args: { title: "Release" } }, "codex");
    await show(asked);
    await page.check("input[name='item.0'][value='once']");
    await page.click("#allow-once");
    await page.waitForSelector("#message.refused");
    equal(await stateOf(asked), "pending", "one part has no answer; the call");
    await settle(page);
    await page.check("input[name='item.0'][value='once']");
    await page.check("input[name='item.1'][value='once']");
    await page.click("#allow-once");
    await page.waitForSelector("#message.done");
    equal(await stateOf(asked), "approved");
  });
  await check("a critical yes needs what the card asks for, typed", async () => {
    const asked = await ask(paid(), "codex");
    await show(asked);
    await page.click("#allow-once");
    await page.waitForSelector("#message.refused");
    await settle(page);
    await page.fill("#confirm", "9999");
    await page.click("#allow-once");
    await page.waitForSelector("#message.refused");
    equal(await stateOf(asked), "pending");
    await settle(page);
    await page.fill("#confirm", `${serial}.00`);
    await page.click("#allow-once");
    await page.waitForSelector("#message.done");
    equal(await stateOf(asked), "approved");
  });
  await check("a wider yes says what it covers, and gives just that", async () => {
    const asked = await ask(shell("git tag v1"));
    await show(asked);
    const wider = page.locator(".wider li").filter({ hasText: "Allow for this session" }).first();
    const permits = await wider.locator(".permits").innerText();
    holds(permits.length > 10, permits);
    await wider.locator("button").click();
    await page.waitForSelector("#message.done");
    equal(await stateOf(asked), "approved");
    await page.goto(`${base}grants`);
    holds((await page.locator("#grants tbody tr").count()) > 0, "the grant is listed");
    await page.locator("#grants button", { hasText: "Revoke" }).first().click();
    await page.waitForSelector("#message.done");
    holds((await said()).startsWith("Revoked"), await said());
  });
  await check("a yes for the whole project at high risk counts only after a second one", async () => {
    const asked = await ask(shell("git push origin main"));
    await show(asked);
    await page.locator(".wider button", { hasText: "Allow in this project" }).first().click();
    await page.waitForSelector(".confirm-words");
    equal(await stateOf(asked), "pending");
    await settle(page);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.waitForSelector("#message.done");
    equal(await stateOf(asked), "approved");
  });
  await check("a high yes is offered only at the end of the whole call", async () => {
    const rows = Array.from({ length: 400 }, (_, row) => `row ${row}`).join("\n");
    const asked = await ask({ tool: "Write", args: { file_path: "/etc/made-up.conf", content: rows } });
    await show(asked);
    equal(await page.locator("#allow-once").count(), 0, "buttons for a yes on the card");
    await page.click("#whole-link");
    await page.waitForSelector("#end");
    await page.evaluate(() => scrollTo(0, 0));
    await settle(page);
    holds((await page.innerText(".whole-text")).includes("row 399"), "the last row is there");
    await page.locator("#end").scrollIntoViewIfNeeded();
    await until("the yes is enabled", () => page.locator("#allow-once").isEnabled());
    await page.click("#allow-once");
    await page.waitForSelector("#message.done");
    equal(await stateOf(asked), "approved");
  });
  await check("an answer from elsewhere closes the card in place, and so does a withdrawal", async () => {
    const asked = await ask(drafted());
    await show(asked);
    daemon.cli("approve", asked.request);
    const answered = Date.now();
    await page.waitForSelector("#card .closed");
    holds((await page.innerText("#card .closed")).startsWith("Answered elsewhere"), await page.innerText("#card .closed"));
    holds(Date.now() - answered < 1500, `it took ${Date.now() - answered} ms`);
    equal(await page.locator("#card button").count(), 0, "its buttons");
    const withdrawn = await ask(drafted());
    await show(withdrawn);
    await daemon.send("claude", "POST", `/v1/operations/${withdrawn.operation}/cancel`, { session: "s1" });
    await page.waitForSelector("#card .closed");
    holds((await page.innerText("#card .closed")).startsWith("Cancelled"), await page.innerText("#card .closed"));
  });
  await check("the server takes no answer that comes before a card could be read, or with another form's token", async () => {
    const asked = await ask(drafted());
    await page.goto(base);
    const sent = await page.evaluate(async (request) => {
      const html = await (await fetch(`?r=${request}`)).text();
      const form = new DOMParser().parseFromString(html, "text/html").querySelector("form[data-answer]");
      const fields = new URLSearchParams(new FormData(form));
      fields.set("choice", "once");
      const fast = await (await fetch("answer", { method: "POST", body: fields })).text();
      await new Promise((done) => setTimeout(done, 500));
      fields.set("digest", "000000…000000");
      const forged = (await fetch("answer", { method: "POST", body: fields })).status;
      return { fast, forged };
    }, asked.request);
    holds(sent.fast.includes("before anybody could read the card"), "it says why");
    equal(sent.forged, 403, "a form with another digest");
    equal(await stateOf(asked), "pending");
    daemon.cli("decline", asked.request);
  });
  await check("a double click, a reload and the back button answer nothing by themselves", async () => {
    const [first, second] = [await ask(drafted()), await ask(drafted())];
    await page.goto(base);
    await settle(page);
    await page.dblclick("#allow-once");
    await page.waitForSelector("#message.done");
    await page.reload();
    await page.goBack();
    await page.waitForTimeout(500);
    const states = [await stateOf(first), await stateOf(second)].sort();
    equal(states, ["approved", "pending"]);
    for (const asked of [first, second]) if (await stateOf(asked) === "pending") daemon.cli("decline", asked.request);
  });
  await check("a keyboard is enough, and no single key answers", async () => {
    const asked = await ask(drafted());
    await page.goto(base);
    await settle(page);
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("r") === asked.request);
    await settle(page);
    await page.keyboard.press("y");
    equal(await page.evaluate(() => document.activeElement.id), "allow-once");
    equal(await stateOf(asked), "pending", "y alone; the call");
    await page.keyboard.press("Space");
    await page.waitForSelector("#message.done");
    equal(await stateOf(asked), "approved");
    await page.keyboard.press("?");
    holds(await page.locator("#help").isVisible(), "the list of keys");
    await page.keyboard.press("Escape");
  });
  await check("the focus and what was typed stay where they are when something arrives", async () => {
    const asked = await ask(drafted());
    await show(asked);
    await page.fill("#note", "half a sen");
    const other = await ask(drafted(), "codex");
    await page.waitForSelector(`#list a[data-request="${other.request}"]`);
    equal(await page.evaluate(() => [document.activeElement.id, document.activeElement.value, document.querySelector("#card").dataset.request]), ["note", "half a sen", asked.request]);
    daemon.cli("decline", asked.request);
    daemon.cli("decline", other.request);
  });
  await check("a burst is one row whose first act is to pause the agent", async () => {
    const asked = [];
    for (let one = 0; one < 7; one += 1) asked.push(await ask(drafted(), "chatty"));
    await page.goto(base);
    holds((await page.innerText(".burst summary")).includes("asked 7 times in a minute"), "it says how many");
    await page.locator(".burst button", { hasText: "Pause" }).click();
    await page.waitForSelector("#message.done");
    equal((await daemon.call("chatty", drafted())).reason, "paused");
    for (const one of asked) daemon.cli("decline", one.request);
  });
  await check("a daemon that is away turns the page grey and its answers off, and a restart logs nobody out", async () => {
    const asked = await ask(drafted());
    await show(asked);
    await daemon.halt();
    await page.waitForSelector("body.is-offline");
    holds(await page.locator("#allow-once").isDisabled(), "no answer can be given");
    holds(await page.locator("#offline").isVisible(), "it says so");
    await daemon.run();
    await until("the page is back", async () => !(await page.evaluate(() => document.body.classList.contains("is-offline"))), 20000);
    await until("the yes is enabled", () => page.locator("#allow-once").isEnabled());
    await page.click("#allow-once");
    await page.waitForSelector("#message.done");
    equal(await stateOf(asked), "approved");
  });
  await check("without script the pages are plain forms", async () => {
    const plain = await browser.newContext({ ...wide, javaScriptEnabled: false });
    const shown = await plain.newPage();
    await logIn(daemon, shown, false);
    const asked = await ask(drafted());
    await show(asked, shown);
    await shown.click("#allow-once");
    holds((await said(shown)).startsWith("Allowed once"), await said(shown));
    equal(await stateOf(asked), "approved");
    await plain.close();
  });
  await check("hostile text shows what is there, and nothing of it comes alive", async () => {
    const asked = await ask(drafted({ args: { subject: hostile.text, url: hostile.host }, target: hostile.text, reason: hostile.text }));
    for (const path of [`?r=${asked.request}`, `request/${asked.request}`, `call/${asked.operation}`, "record", "sessions", "grants"]) {
      await page.goto(base + path);
      await settle(page);
      const text = await page.innerText("body");
      holds(!/[\u001b\u202e\u200b\u0007]/.test(text), `${path}: nothing invisible`);
      equal(await page.evaluate(() => [window.pwned ?? null, document.querySelectorAll("main script, main img:not([alt=''])").length, document.querySelectorAll("a[href^='javascript:']").length]), [null, 0, 0], path);
    }
    await page.goto(`${base}?r=${asked.request}`);
    holds((await page.innerText("#card")).includes("<script>window.pwned=1</script>"), "the text itself is shown");
    daemon.cli("decline", asked.request);
    const many = await ask(drafted({ args: Object.fromEntries(Array.from({ length: 4000 }, (_, n) => [`a${n}`, n])) }));
    await show(many);
    holds((await page.innerText("#card")).includes("left out"), "what is left out is counted");
    await page.goto(`${base}request/${many.request}`);
    holds((await page.innerText(".whole-text")).includes("3999"), "and is on the page of the whole call");
    daemon.cli("decline", many.request);
  });
  await check("a page of another port of this host gets no cookie, sends no form and frames nothing", async () => {
    const asked = await ask(drafted());
    const cookies = [];
    const port = await freePort();
    const path = new URL(base).pathname;
    const form = `<form id="f" method="post" action="${base}pause"><input name="agent" value="*"><input name="token" value="x"></form>`;
    const evil = createServer((sent, reply) => {
      cookies.push(sent.headers.cookie ?? "");
      reply.setHeader("content-type", "text/html");
      reply.setHeader("set-cookie", "countersign=0000; Path=/");
      reply.end(sent.url.startsWith("/frame") ? `<iframe id="framed" src="${base}"></iframe>` : form);
    });
    await new Promise((done) => evil.listen(port, "127.0.0.1", done));
    try {
      const shown = await context.newPage();
      await shown.goto(`http://localhost:${port}/`);
      await shown.goto(`http://localhost:${port}/d/`);
      const [reply] = await Promise.all([shown.waitForResponse((one) => one.url() === `${base}pause`), shown.evaluate(() => document.getElementById("f").submit())]);
      equal(reply.status(), 403, "a form of another port");
      await shown.goto(`http://localhost:${port}/frame`);
      await shown.waitForTimeout(400);
      const frame = shown.frames().find((one) => one !== shown.mainFrame());
      holds(!(await frame.content()).includes("Waiting"), "no page is framed");
      const stolen = cookies.filter((cookie) => cookie.includes("countersign=") && !cookie.includes("countersign=0000"));
      equal(stolen, [], "cookies that the other server got");
      await shown.goto(base);
      holds((await shown.title()).includes("Countersign") && (await shown.locator("#nav").count()) === 1, "its cookie does not log anybody out");
      await shown.close();
      holds(path.length > 30, "the path has a secret");
    } finally { evil.close(); }
    daemon.cli("decline", asked.request);
  });
  await check("another name for this address is refused, and so is a form without the browser's headers", async () => {
    const cookie = `countersign=${(await context.cookies(base)).find((one) => one.name === "countersign" && one.path !== "/").value}`;
    const path = new URL(base).pathname;
    const get = async (host, more = {}) => (await request(daemon.port, "GET", path, { host, cookie, ...more })).status;
    equal([await get(`localhost:${daemon.port}`), await get(`evil.example:${daemon.port}`), await get(`localhost:${daemon.port}`, { "sec-fetch-site": "cross-site" })], [200, 403, 403]);
    const form = { cookie, host: `localhost:${daemon.port}`, "content-type": "application/x-www-form-urlencoded" };
    const post = async (more) => (await request(daemon.port, "POST", `${path}pause`, { ...form, ...more }, "agent=*&token=x")).status;
    equal([await post({}), await post({ origin: daemon.origin }), await post({ origin: "null", "sec-fetch-site": "same-origin" }), await post({ origin: daemon.origin, "sec-fetch-site": "none" }), await post({ origin: daemon.origin, "sec-fetch-site": "same-origin" })], [403, 403, 403, 403, 403]);
    const api = await request(daemon.port, "GET", "/v1/status", { cookie, host: `localhost:${daemon.port}` });
    equal(api.status, 401, "the cookie is no credential of the API");
  });
  const asked = await ask(drafted());
  const critical = await ask(paid(), "codex");
  const paths = ["", `?r=${critical.request}`, `request/${asked.request}`, `call/${asked.operation}`, "record", "record?text=draft&asked=on", "record?state=wrong", "grants", "sessions", "session/claude%2Fs1", "rules", "rules?line=git+push", "insights", "proposals", "notices", "agents", "status", "nothing"];
  await check("every page fits into 320 pixels, and 4K has no hole", async () => {
    for (const width of isShort ? [320] : [320, 3840]) {
      await page.setViewportSize({ width, height: 800 });
      for (const path of paths) {
        await page.goto(base + path);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        holds(over <= 0, `${path} at ${width} is ${over} px too wide`);
      }
    }
    await page.setViewportSize(wide.viewport);
  });
  for (const colorScheme of isShort ? ["dark"] : ["light", "dark"]) {
    await check(`axe finds nothing on any page (${colorScheme})`, async () => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const found = [];
      for (const path of paths) {
        await page.goto(base + path);
        await settle(page);
        // Evaluated by the browser's debugger, not by the page: its policy allows no other script.
        await page.evaluate(axe);
        const result = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
        for (const one of result.violations) found.push(`${path || "now"}: ${one.id}: ${one.nodes[0].html.slice(0, 140)} ${one.nodes[0].any[0]?.message ?? ""}`);
      }
      for (const one of found) console.log(`      ${one}`);
      equal(found.length, 0, "findings");
    });
  }
  await check("no page broke its content policy or threw an error", async () => equal(problems, []));
  await check("logging a browser out takes effect at once", async () => {
    await page.goto(`${base}status`);
    daemon.cli("open", "--end-all");
    await page.reload();
    holds((await page.innerText("main")).includes("not logged in"), await page.innerText("main"));
  });
} finally {
  await browser.close();
  await daemon.stop();
}
console.log(`${passed} checks passed${differences.length ? `, ${differences.length} did not: ${differences.join("; ")}` : ""}`);
process.exit(differences.length ? 1 : 0);
