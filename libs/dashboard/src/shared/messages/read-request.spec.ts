import { readImage } from './read-image.js';
import { readRequest } from './read-request.js';

const names = (input: Parameters<typeof readRequest>[0]) => readRequest(input).tools.map(({ name }) => name);

describe('a request to a model', () => {
  it.each([
    ['OpenAI', [{ tools: [{ type: 'function', function: { name: 'search' } }] }], ['search']],
    ['OpenAI, built in', [{ tools: [{ type: 'web_search' }] }], ['web_search']],
    ['Anthropic', [{ tools: [{ name: 'search', input_schema: {} }] }], ['search']],
    ['the AI SDK', [{ tools: { search: { description: 'x' } } }], ['search']],
    ['Gemini', [{ config: { tools: [{ functionDeclarations: [{ name: 'search' }] }] } }], ['search']],
    ['nobody', ['text', null, { tools: 'none' }], []],
  ])('of %s has tools', (_, input, tools) => {
    expect(names(input)).toEqual(tools);
  });

  it('has parameters: numbers, flags and short texts', () => {
    const request = {
      model: 'm',
      temperature: 0.2,
      stream: true,
      tool_choice: 'auto',
      messages: [],
      user: 'x'.repeat(99),
    };
    expect(readRequest(['first', request]).parameters).toEqual([
      ['temperature', 0.2],
      ['stream', true],
      ['tool_choice', 'auto'],
    ]);
    expect(readRequest(undefined)).toEqual({ tools: [], parameters: [] });
  });
});

describe('an image of a message', () => {
  const png = 'data:image/png;base64,iVBO';
  it.each([
    [{ type: 'image_url', image_url: { url: png } }, png],
    [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }, 'https://example.com/a.png'],
    [{ type: 'input_image', image_url: png }, png],
    [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } }, png],
    [{ type: 'image', source: { type: 'url', url: 'https://example.com/a' } }, 'https://example.com/a'],
    [{ type: 'image', image: 'iVBO', mediaType: 'image/png' }, png],
    [{ type: 'file', data: 'iVBO', mediaType: 'image/png' }, png],
    [{ type: 'file', data: 'iVBO', mediaType: 'application/pdf' }, undefined],
    [{ inlineData: { mimeType: 'image/png', data: 'iVBO' } }, png],
    [{ type: 'image', image: 'iVBO', mediaType: 'image/svg+xml' }, undefined],
    [{ type: 'image_url', image_url: { url: 'javascript:alert(1)' } }, undefined],
    [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iV…' } }, undefined],
    [{ type: 'text', text: png }, undefined],
  ])('%j has the address %s', (part, address) => {
    expect(readImage(part)).toBe(address);
  });
});
