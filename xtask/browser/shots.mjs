// Pictures of every page, in light and dark, and as wide as a phone.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Daemon, startBrowser, logIn, settle } from "./harness.mjs";
import { fill } from "./scenes.mjs";

const folder = process.env.COUNTERSIGN_PICTURES;
mkdirSync(folder, { recursive: true });
const daemon = await Daemon.start();
const browser = await startBrowser(daemon.root);
try {
  const first = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await first.newPage();
  const base = await logIn(daemon, page);
  await page.screenshot({ path: join(folder, "now-empty.png") });
  const scene = await fill(daemon);
  const pages = { now: "", ...Object.fromEntries(Object.entries(scene.requests).map(([name, id]) => [`card-${name}`, `?r=${id}`])), whole: `request/${scene.requests.long}`, call: `call/${scene.call}`, record: "record", grants: "grants", sessions: "sessions", session: `session/${encodeURIComponent("claude/s1")}`, rules: "rules", insights: "insights", proposals: "proposals", notices: "notices", agents: "agents", status: "status", missing: "nothing" };
  const state = await first.storageState();
  // The pictures of the guide: small, and not longer than a screen.
  const guide = await browser.newContext({ viewport: { width: 1120, height: 720 }, storageState: state });
  for (const [name, path] of Object.entries({ now: `?r=${scene.requests.install}`, record: "record", insights: "insights" })) {
    const shown = await guide.newPage();
    await shown.goto(base + path);
    await settle(shown);
    await shown.evaluate(() => document.activeElement?.blur());
    await shown.screenshot({ path: join(folder, `dashboard-${name}.png`) });
  }
  await guide.close();
  const only = process.argv[2]?.split(",");
  for (const [look, options] of Object.entries({ light: { colorScheme: "light" }, dark: { colorScheme: "dark" }, phone: { viewport: { width: 360, height: 740 } } })) {
    if (process.argv[3] && !process.argv[3].split(",").includes(look)) continue;
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, storageState: state, ...options });
    const shown = await context.newPage();
    for (const [name, path] of Object.entries(pages)) {
      if (only && only[0] && !only.includes(name)) continue;
      await shown.goto(base + path);
      await settle(shown);
      await shown.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true });
    }
    await context.close();
  }
} finally {
  await browser.close();
  await daemon.stop();
}
