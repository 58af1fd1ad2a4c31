// Requests to the daemon's socket. A request is sent once. One that may have reached the daemon is
// never sent again, because a call that was allowed twice could run twice.

import { Agent, request as httpRequest } from "node:http";
import { Refused, Unavailable } from "./errors.js";
import { type Place, describeMissing } from "./locate.js";
import type { ErrorBody } from "./wire.js";

// The daemon closes idle connections after a minute.
const IDLE_MS = 30_000;
// How long a reply may take beyond the time that the request itself waits.
const REPLY_MS = 30_000;
// Connections of one process for requests that do not wait.
const MAX_CONNECTIONS = 64;
const MAX_REPLY_BYTES = 16 << 20;

export interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
  /** How long the daemon may keep the request open. */
  readonly waitMs?: number;
}

export class Connections {
  readonly #short = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS, timeout: IDLE_MS });
  readonly #long = new Agent({ keepAlive: true });

  constructor(readonly place: Place) {}

  /** Sends a request and returns the value of its reply. */
  async send<T>(request: Request): Promise<T> {
    const { status, text } = await this.#exchange(request);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new Unavailable("the daemon's reply is not JSON");
    }
    if (status === 200) return value as T;
    const { code, message, remedy } = (value as Partial<ErrorBody>).error ?? {
      code: "",
      message: `the daemon answered ${status}`,
      remedy: "",
    };
    if (status === 429 || status === 503) throw new Unavailable(`${message}; ${remedy}`);
    throw new Refused(status, code, message, remedy);
  }

  close(): void {
    this.#short.destroy();
    this.#long.destroy();
  }

  #exchange(request: Request): Promise<{ status: number; text: string }> {
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const headers: Record<string, string> = { host: "localhost" };
    if (this.place.token) headers["authorization"] = `Bearer ${this.place.token}`;
    if (body !== undefined) {
      headers["content-type"] = "application/json";
      headers["content-length"] = String(Buffer.byteLength(body));
    }
    const agent = request.waitMs ? this.#long : this.#short;
    const { method, path } = request;
    return new Promise((resolve, reject) => {
      const missing = () => reject(new Unavailable(describeMissing(this.place.socket)));
      const sent = httpRequest(
        { socketPath: this.place.socket, method, path, headers, agent },
        (response) => {
          const chunks: Buffer[] = [];
          let length = 0;
          response.on("data", (chunk: Buffer) => {
            length += chunk.length;
            if (length > MAX_REPLY_BYTES) sent.destroy();
            chunks.push(chunk);
          });
          response.on("error", missing);
          response.on("aborted", missing);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString("utf8");
            resolve({ status: response.statusCode ?? 0, text });
          });
        },
      );
      sent.setTimeout((request.waitMs ?? 0) + REPLY_MS, () => sent.destroy());
      sent.on("error", missing);
      sent.end(body);
    });
  }
}
