// The Messages API: one answer, streamed or whole.

let count = 0;

function block(answer) {
  if (answer.tool) return { type: "tool_use", id: `toolu_${String(count).padStart(8, "0")}`, name: answer.tool, input: answer.input };
  return { type: "text", text: answer.text };
}

function message(request, content) {
  return {
    id: `msg_${count}`,
    type: "message",
    role: "assistant",
    model: request.model,
    content,
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

// A streamed block starts empty; one delta then brings all of it.
function streamedParts(content) {
  if (content.type === "tool_use") {
    return [
      { ...content, input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify(content.input) },
    ];
  }
  return [
    { type: "text", text: "" },
    { type: "text_delta", text: content.text },
  ];
}

function stream(request, content, stopReason, response) {
  const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const [start, delta] = streamedParts(content);
  response.writeHead(200, { "content-type": "text/event-stream" });
  send({ type: "message_start", message: message(request, []) });
  send({ type: "content_block_start", index: 0, content_block: start });
  send({ type: "content_block_delta", index: 0, delta });
  send({ type: "content_block_stop", index: 0 });
  send({ type: "message_delta", delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 1 } });
  send({ type: "message_stop" });
  response.end();
}

export function answerMessages(request, nextAnswer, response) {
  count += 1;
  const content = block(nextAnswer(request));
  const stopReason = content.type === "tool_use" ? "tool_use" : "end_turn";
  if (request.stream) return stream(request, content, stopReason, response);
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ ...message(request, [content]), stop_reason: stopReason }));
}
