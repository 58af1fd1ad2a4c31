// The fixture's prompts, resources and completions.

import { fromJsonSchema, ResourceTemplate } from '@modelcontextprotocol/server';
import { image, PNG, text } from './fixture-tools.mjs';

const user = (...content) => ({ messages: content.map(part => ({ role: 'user', content: part })) });
const words = names => {
  const properties = Object.fromEntries(names.map(name => [name, { type: 'string', description: name }]));
  return fromJsonSchema({ type: 'object', properties, required: names });
};

export function addPrompts(server) {
  const fixed = (name, ...content) => server.registerPrompt(name, { description: 'Fixed' }, () => user(...content));
  fixed('test_simple_prompt', text('This is a simple prompt for testing.'));
  fixed('test_prompt_with_image', image(), text('Describe the image.'));
  const pair = { description: 'Two arguments', argsSchema: words(['arg1', 'arg2']) };
  server.registerPrompt('test_prompt_with_arguments', pair, ({ arg1, arg2 }) =>
    user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  const uri = { description: 'Embeds a resource', argsSchema: words(['resourceUri']) };
  server.registerPrompt('test_prompt_with_embedded_resource', uri, ({ resourceUri }) => {
    const resource = { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded content.' };
    return user({ type: 'resource', resource }, text('Process the resource.'));
  });
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
}

export function addResources(server) {
  const add = (name, mimeType, content) => {
    const uri = `test://${name}`;
    const contents = [{ uri, mimeType, ...content }];
    server.registerResource(name, uri, { description: 'Fixed', mimeType }, () => ({ contents }));
  };
  add('static-text', 'text/plain', { text: 'This is the content of the static text resource.' });
  add('static-binary', 'image/png', { blob: PNG });
  add('watched-resource', 'text/plain', { text: 'Watched resource content' });
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  const about = { description: 'One for each id', mimeType: 'application/json' };
  server.registerResource('template', template, about, (uri, { id }) => {
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri: uri.toString(), mimeType: about.mimeType, text: data }] };
  });
  for (const method of ['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel']) {
    server.server.setRequestHandler(method, () => ({}));
  }
}
