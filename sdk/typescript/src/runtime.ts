// This process as an application: where the daemon is, and in which session it works.

import { Connections } from "./http.js";
import { defaultSession, findPlace } from "./locate.js";

export interface Configuration {
  /** The daemon's agents' socket. By default it is found as `countersign gate` finds it. */
  readonly socket?: string;
  /** This application's token. By default `COUNTERSIGN_TOKEN`. */
  readonly token?: string;
  /** By default the name of the program. The same application takes up its own session again. */
  readonly session?: string;
}

export class Runtime {
  readonly connections: Connections;
  readonly session: string;

  constructor(configuration: Configuration) {
    this.connections = new Connections(findPlace(configuration.socket, configuration.token));
    this.session = configuration.session || defaultSession();
  }
}

let current: Runtime | undefined;

/** Names the daemon's socket, this application's token, or its session. */
export function configure(configuration: Configuration): void {
  current = new Runtime(configuration);
}

export function currentRuntime(): Runtime {
  current ??= new Runtime({});
  return current;
}
