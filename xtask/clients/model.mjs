// A stand-in for the model APIs of Anthropic (Messages) and OpenAI (Responses). It plays a script and keeps the requests.
//
// It prints its port. A line of input is a JSON list of answers, `{"tool", "input"}`, `{"custom", "input"}` or
// `{"text"}`: from then on they are played, and the requests so far are printed as one line of JSON and forgotten. Each
// request that offers tools takes the next answer; without one left, the answer is the text "done".
import { createServer } from "node:http";
import { createInterface } from "node:readline";

import { answerMessages } from "./model-anthropic.mjs";
import { answerResponses } from "./model-openai.mjs";

const routes = { "/v1/messages": answerMessages, "/v1/responses": answerResponses };

let script = [];
let requests = [];

// Requests without tools are side work of the program, such as the title of a session.
function nextAnswer(request) {
  const hasTools = request.tools?.length > 0 || request.input?.[0]?.type === "additional_tools";
  if (!hasTools) return { text: "done" };
  requests.push(request);
  return script.shift() ?? { text: "done" };
}

function answer(request, body, response) {
  const { pathname } = new URL(request.url, "http://localhost");
  const route = routes[pathname];
  if (request.method === "POST" && route) return route(JSON.parse(body), nextAnswer, response);
  response.statusCode = request.method === "HEAD" ? 200 : 404;
  response.end("{}");
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    try {
      answer(request, Buffer.concat(chunks).toString("utf8"), response);
    } catch (error) {
      response.statusCode = 400;
      response.end(String(error));
    }
  });
});

createInterface({ input: process.stdin })
  .on("line", (line) => {
    console.log(JSON.stringify(requests));
    requests = [];
    script = JSON.parse(line);
  })
  .on("close", () => process.exit(0));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
