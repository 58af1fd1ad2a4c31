// The fixture's tools that need answers of the client in the modern era: they return what they need,
// and the client calls again with it. State between the rounds is sealed, because clients carry it.

import { acceptedContent, CLIENT_CAPABILITIES_META_KEY, fromJsonSchema, inputRequired } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import { text } from './fixture-tools.mjs';

const nothing = fromJsonSchema({ type: 'object', properties: {} });
const done = words => ({ content: [text(words)] });

const form = (message, field, type = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type } }, required: [field] },
  });
const sample = (words, maxTokens) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(words) }], maxTokens });

export function addQuestions(server, sealing) {
  const seal = value => sealing.mint({ ...value, nonce: randomUUID() });
  const add = (name, run) =>
    server.registerTool(name, { description: 'Needs an answer of the client', inputSchema: nothing }, (_, { mcpReq }) =>
      run(mcpReq, mcpReq.inputResponses),
    );
  addSingle(add);
  addSealed(add, seal);
  addCapabilities(add);
  server.registerPrompt('test_input_required_result_prompt', { description: 'Needs context' }, ctx => {
    const context = acceptedContent(ctx.mcpReq.inputResponses, 'user_context')?.context;
    if (context === undefined) {
      return inputRequired({ inputRequests: { user_context: form('Which context?', 'context') } });
    }
    return { messages: [{ role: 'user', content: text(`Use this context: ${context}`) }] };
  });
}

function addSingle(add) {
  const ask = (name, key, request, read) =>
    add(name, (_, responses) => {
      const answer = read(responses, key);
      return answer === undefined ? inputRequired({ inputRequests: { [key]: request() } }) : done(`got ${answer}`);
    });
  const name = (responses, key) => {
    const value = acceptedContent(responses, key)?.name;
    return typeof value === 'string' ? value : undefined;
  };
  const words = (responses, key) => responses?.[key]?.content?.text;
  const roots = (responses, key) => responses?.[key]?.roots?.map(root => root.uri).join(', ');
  ask('test_input_required_result_elicitation', 'user_name', () => form('What is your name?', 'name'), name);
  ask('test_input_required_result_sampling', 'capital_question', () => sample('What is the capital of France?', 100), words);
  ask('test_input_required_result_list_roots', 'client_roots', () => inputRequired.listRoots(), roots);
  ask('test_missing_capability', 'llm_answer', () => sample('Reply with one word', 16), words);
}

function addSealed(add, seal) {
  for (const name of ['request_state', 'tampered_state']) {
    add(`test_input_required_result_${name}`, async (mcpReq, responses) => {
      if (mcpReq.requestState() !== undefined && acceptedContent(responses, 'confirm') !== undefined) {
        return done('state-ok');
      }
      const inputRequests = { confirm: form('Please confirm', 'ok', 'boolean') };
      return inputRequired({ inputRequests, requestState: await seal({ name }) });
    });
  }
  add('test_input_required_result_multiple_inputs', async (_, responses) => {
    if (responses?.user_name && responses.greeting && responses.client_roots) return done('got all three');
    const inputRequests = {
      user_name: form('What is your name?', 'name'),
      greeting: sample('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await seal({}) });
  });
  add('test_input_required_result_multi_round', async mcpReq => {
    const round = mcpReq.requestState()?.round ?? 0;
    const questions = [
      { step1: form('Step 1: What is your name?', 'name') },
      { step2: form('Step 2: What is your favorite color?', 'color') },
    ];
    if (round >= questions.length) return done('two rounds are over');
    return inputRequired({ inputRequests: questions[round], requestState: await seal({ round: round + 1 }) });
  });
}

/** Asks only for what the client can answer. */
function addCapabilities(add) {
  add('test_input_required_result_capabilities', (mcpReq, responses) => {
    if (responses !== undefined) return done('got an answer');
    const declared = mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
    const inputRequests = {
      ...(declared.elicitation && { user_name: form('What is your name?', 'name') }),
      ...(declared.sampling && { greeting: sample('Generate a greeting', 50) }),
      ...(declared.roots && { client_roots: inputRequired.listRoots() }),
    };
    return Object.keys(inputRequests).length === 0 ? done('nothing to ask') : inputRequired({ inputRequests });
  });
}
