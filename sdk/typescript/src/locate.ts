// Where the daemon is, and as whom this process speaks: found as `countersign gate` finds them.

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, extname, isAbsolute, join } from "node:path";

export interface Place {
  readonly socket: string;
  readonly token: string | undefined;
}

const START = "start it with `countersign serve`, in a terminal of its own";

/** The named socket and token, else those of the environment, the settings and the defaults. */
export function findPlace(socket?: string, token?: string): Place {
  const settings = readSettings();
  const found =
    socket ||
    process.env["COUNTERSIGN_SOCKET"] ||
    expand(settings.get("agent.socket")) ||
    join(dataFolder(settings), "agent.sock");
  return { socket: found, token: token || process.env["COUNTERSIGN_TOKEN"] || undefined };
}

export function describeMissing(socket: string): string {
  return `no Countersign daemon answers at ${socket}, so nothing runs; ${START}`;
}

/** The name of the program: the same program takes up its own session again. */
export function defaultSession(): string {
  const named = process.env["COUNTERSIGN_SESSION"];
  if (named) return named;
  const script = process.argv[1] ?? "node";
  const stem = basename(script, extname(script));
  return stem.replace(/[^\p{L}\p{N}._-]/gu, "-").slice(0, 100) || "node";
}

function dataFolder(settings: Map<string, string>): string {
  const named = process.env["COUNTERSIGN_DATA"] || expand(settings.get("data"));
  if (named) return named;
  return join(baseFolder("XDG_DATA_HOME", ".local/share"), "countersign");
}

function baseFolder(variable: string, otherwise: string): string {
  const named = process.env[variable];
  return named && isAbsolute(named) ? named : join(homedir(), otherwise);
}

function expand(path: string | undefined): string | undefined {
  return path?.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}

/** The plain texts of the settings file. The daemon checks the file; only two keys count here. */
function readSettings(): Map<string, string> {
  const found = new Map<string, string>();
  let text: string;
  try {
    const file = join(baseFolder("XDG_CONFIG_HOME", ".config"), "countersign", "settings.toml");
    text = readFileSync(file, "utf8");
  } catch {
    return found;
  }
  let table = "";
  for (const line of text.split("\n").map((one) => one.trim())) {
    const header = /^\[([^\]]+)\]$/.exec(line);
    if (header) table = `${header[1]?.trim()}.`;
    const pair = /^([A-Za-z_]+)\s*=\s*(["'])(.*?)\2/.exec(line);
    if (pair) found.set(`${table}${pair[1]}`, pair[3] ?? "");
  }
  return found;
}
