// The Responses API, always streamed: one answer.

let count = 0;

function item(answer) {
  const call = { id: `item_${count}`, call_id: `call_${String(count).padStart(8, "0")}` };
  if (answer.custom) return { ...call, type: "custom_tool_call", name: answer.custom, input: answer.input };
  if (answer.tool) return { ...call, type: "function_call", name: answer.tool, namespace: answer.namespace, arguments: JSON.stringify(answer.input) };
  return { type: "message", role: "assistant", id: call.id, content: [{ type: "output_text", text: answer.text }] };
}

const usage = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 2,
};

export function answerResponses(request, nextAnswer, response) {
  count += 1;
  const id = `resp_${count}`;
  const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const output = item(nextAnswer(request));
  response.writeHead(200, { "content-type": "text/event-stream" });
  send({ type: "response.created", response: { id } });
  send({ type: "response.output_item.added", output_index: 0, item: output });
  send({ type: "response.output_item.done", output_index: 0, item: output });
  send({ type: "response.completed", response: { id, output: [], usage } });
  response.end();
}
