// What every client does: it lists the tools, calls one that is allowed and one that asks, waits until
// the operator has answered, and retries.
//
// Each step prints one line of JSON. A line on standard input says that the operator has answered.

import { once } from 'node:events';

/** Where the client connects: `stdio COMMAND…`, or `http URL` with a token in the environment. */
export function readTarget() {
  const [kind, first, ...rest] = process.argv.slice(2);
  if (kind === 'stdio') {
    // The SDK passes on only a few variables by itself.
    return { command: first, args: rest, env: process.env };
  }
  return { url: new URL(first), headers: { authorization: `Bearer ${process.env.TOKEN}` } };
}

const print = (step, value) => console.log(JSON.stringify({ step, value }));

/** Plays the steps with a client that has `list()`, `call(name, arguments)` and perhaps `version`. */
export async function play(client) {
  if (client.version) print('version', client.version);
  print('list', (await client.list()).map(tool => tool.name));
  print('allowed', await client.call('echo', { message: 'hello' }));
  const asked = await client.call('get-sum', { a: 2, b: 3 });
  print('asked', asked);
  await once(process.stdin, 'data');
  const operation_id = asked._meta['countersign/operationId'];
  print('retried', await client.call('retry', { operation_id }));
  process.stdin.destroy();
}
