// A loopback proxy that adds the token of an agent to each request, for clients that send none.
//
//   TOKEN=… node with-token.mjs http://127.0.0.1:7778/mcp/fixture
//
// It listens at a free port, which it prints.
// `Host` and `Origin` get the gateway's port instead of this one, and stay as they are otherwise: a
// client that pretends to be somebody else must be refused by the gateway. Bodies are streamed.

import { createServer, request as sendRequest } from 'node:http';

const { hostname, port: targetPort, pathname } = new URL(process.argv[2]);

const server = createServer((request, response) => {
  const { port } = server.address();
  const headers = { ...request.headers, authorization: `Bearer ${process.env.TOKEN}` };
  for (const name of ['host', 'origin']) {
    if (headers[name]) headers[name] = headers[name].replace(`:${port}`, `:${targetPort}`);
  }
  const options = { hostname, port: targetPort, path: pathname, method: request.method, headers };
  const onward = sendRequest(options, answer => {
    response.writeHead(answer.statusCode, answer.headers);
    response.flushHeaders();
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  // A client that closes its connection cancels its request, so the end has to be passed on.
  response.on('close', () => onward.destroy());
  request.pipe(onward);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
