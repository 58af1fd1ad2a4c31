// The fixture's tools that need no answer from the client, and those that ask in the older era.

import { fromJsonSchema } from '@modelcontextprotocol/server';
import { setTimeout as sleep } from 'node:timers/promises';

/** A red pixel, and a sound of no length. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

export const text = words => ({ type: 'text', text: words });
export const image = () => ({ type: 'image', data: PNG, mimeType: 'image/png' });
const answer = (...content) => ({ content });
const object = (properties = {}, more = {}) => fromJsonSchema({ type: 'object', properties, ...more });

export function addTools(server, announce) {
  const add = (name, description, inputSchema, run) =>
    server.registerTool(name, { description, inputSchema }, run);
  addContent(add);
  addNotifying(add, announce);
  addAsking(add);
  addSchemas(add);
}

function addContent(add) {
  const resource = (uri, mimeType, words) => ({ type: 'resource', resource: { uri, mimeType, text: words } });
  const fixed = (name, ...content) => add(name, `Returns fixed content`, object(), () => answer(...content));
  fixed('test_simple_text', text('This is a simple text response for testing.'));
  fixed('test_image_content', image());
  fixed('test_audio_content', { type: 'audio', data: WAV, mimeType: 'audio/wav' });
  fixed('test_embedded_resource', resource('test://embedded-resource', 'text/plain', 'Embedded content.'));
  fixed(
    'test_multiple_content_types',
    text('Multiple content types test:'),
    image(),
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  );
  fixed('test_streaming_elicitation', text('No request of the server on this stream.'));
  add('test_error_handling', 'Fails', object(), () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
}

function addNotifying(add, announce) {
  add('test_tool_with_logging', 'Logs three times', object(), async (_, { mcpReq }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });
      await sleep(50);
    }
    return answer(text('logged'));
  });
  add('test_logging_tool', 'Logs if the request asks for it', object(), async (_, { mcpReq }) => {
    await mcpReq.log('info', 'only for a request with a log level');
    return answer(text('logged'));
  });
  add('test_tool_with_progress', 'Reports progress', object(), async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      const params = { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` };
      await mcpReq.notify({ method: 'notifications/progress', params });
      await sleep(50);
    }
    return answer(text('done'));
  });
  add('test_trigger_tool_change', 'Says that the tools have changed', object(), async () => {
    await announce.toolsChanged();
    return answer(text('announced'));
  });
  add('test_trigger_prompt_change', 'Says that the prompts have changed', object(), async () => {
    await announce.promptsChanged();
    return answer(text('announced'));
  });
}

/** Requests of the server during a call: the older era has them, the modern one has none. */
function addAsking(add) {
  const elicit = async (mcpReq, message, properties, required) => {
    const requestedSchema = { type: 'object', properties, required };
    const result = await mcpReq.send({ method: 'elicitation/create', params: { message, requestedSchema } });
    return answer(text(`action=${result.action}, content=${JSON.stringify(result.content ?? {})}`));
  };
  add('test_sampling', 'Asks the model', object({ prompt: { type: 'string' } }), async ({ prompt }, { mcpReq }) => {
    const params = { messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 };
    const result = await mcpReq.send({ method: 'sampling/createMessage', params });
    return answer(text(`LLM response: ${result.content?.text}`));
  });
  add('test_elicitation', 'Asks the user', object({ message: { type: 'string' } }), ({ message }, { mcpReq }) =>
    elicit(mcpReq, message, { response: { type: 'string', description: 'the answer' } }, ['response']),
  );
  add('test_elicitation_sep1034_defaults', 'Asks with defaults', object(), (_, { mcpReq }) =>
    elicit(mcpReq, 'Review the fields', DEFAULTS, []),
  );
  add('test_elicitation_sep1330_enums', 'Asks with choices', object(), (_, { mcpReq }) =>
    elicit(mcpReq, 'Choose', CHOICES, []),
  );
}

const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const titled = (word, names) => names.map((title, index) => ({ const: `${word}${index + 1}`, title }));
const NAMES = ['First', 'Second', 'Third'];
const OPTIONS = ['option1', 'option2', 'option3'];
const CHOICES = {
  untitledSingle: { type: 'string', enum: OPTIONS },
  titledSingle: { type: 'string', oneOf: titled('value', NAMES) },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: NAMES },
  untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: OPTIONS } },
  titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: titled('value', NAMES) } },
};

function addSchemas(add) {
  const region = { type: 'string', description: 'also sent as a header', 'x-mcp-header': 'Region' };
  add('test_x_mcp_header', 'Has an argument that is mirrored into a header', object({ region }), args =>
    answer(text(`region=${args.region}`)),
  );
  const words = { type: 'string' };
  const schema = fromJsonSchema({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: words, city: words } } },
    properties: {
      name: words,
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: words,
      email: words,
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  });
  add('json_schema_2020_12_tool', 'Has a schema with many keywords', schema, args =>
    answer(text(JSON.stringify(args))),
  );
}
