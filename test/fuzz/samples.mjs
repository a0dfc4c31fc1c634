const TRACE = '0198f0c2-7b1a-7000-8000-0123456789ab';
const SPAN = '0123456789abcdef';
const AT = '2026-01-31T12:00:00.000000Z';

export const span = {
  id: SPAN,
  trace_id: TRACE,
  parent_id: 'fedcba9876543210',
  trace_function_key: 'support.answer',
  name: 'answer',
  type: 'llm',
  status: 'error',
  started_at: AT,
  ended_at: '2026-01-31T12:00:01.500000Z',
  duration_ms: 1500,
  session_id: 's-1',
  span_data: {
    input: ['question', { at: AT, list: [1, 2, { deep: [null] }] }],
    output: { answer: 'x', score: 0.5 },
    error: { name: 'E', message: 'm', stack: 's', code: 1, cause: { name: 'C', message: 'c' }, errors: [] },
    prompt: 'You are',
    contexts: [{ a: 1 }, { b: [2] }],
    usage: { model: 'm', provider: 'p', input_tokens: 3, output_tokens: 4 },
    meta: { types: { '/input/1/at': 'date' }, truncated: [], redacted: [], replayable: true },
  },
};
const trace = {
  id: TRACE,
  session_id: 's',
  metadata: { a: 1, b: 'x' },
  contexts: { c: [1, { d: 2 }] },
};
const score = {
  id: TRACE,
  name: 'helpful',
  value: 0.5,
  label: 'good',
  explanation: 'because',
  metadata: { a: 1 },
  author: { kind: 'person', name: 'ann' },
  created_at: AT,
  trace_id: TRACE,
  span_id: SPAN,
};
export const lines = [{ span }, { trace }, { score }];

export const bodies = {
  '/api/v1/ingest': lines.map((line) => JSON.stringify(line)).join('\n'),
  '/v1/traces': JSON.stringify({ resourceSpans: [] }),
  '/api/v1/calls/search': JSON.stringify({
    trace_function_key: 'k',
    limit: 5,
    metadata: { a: 1 },
    text: 'x',
    since: AT,
  }),
  '/api/v1/test-runs': JSON.stringify({
    trace_function_key: 'k',
    selection: { limit: 5, sample: { size: 1, seed: 2 } },
  }),
  '/api/v1/scores': JSON.stringify({ scores: [score] }),
  '/api/v1/datasets': JSON.stringify({ name: 'd', description: 'x' }),
  '/api/v1/indexes': JSON.stringify({ name: 'i', type: 'SDK' }),
  '/api/v1/api-keys': JSON.stringify({ name: 'k', scopes: ['ingest'] }),
  '/v1/developer/get-context': JSON.stringify({
    index_ids: ['scrape_1'],
    query: 'q',
    limit: 5,
    max_tokens: 100,
  }),
};

export const documents = {
  'text/markdown': [
    '---\ntitle: A\ntags: [a, b]\n---\n# Install\n\ntext [a](b) `c`\n\nSub\n---\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n',
    '<h1 id="x">A</h1>\n\nimport X from "y"\n\n- a\n  - b\n\n## B {#b}\n\n![i](data:image/png;base64,AAAA)\n',
  ],
  'text/html': [
    '<html><head><title>T</title></head><body><nav>n</nav><main><h1 id=a>A</h1><p>x <code>y</code><pre>z\n</pre><table><tr><th>a<td>b</table><dl><dt>d<dd>e</dl></main></body></html>',
    '<article><ul><li>a<li>b<ul><li>c</ul></ul><br>&amp;&#x41;&lt;</article>',
  ],
  'text/plain': ['Title\n=====\n\ntext\n\nSub\n---\nmore', '# llms\n> x\n- [a](b)'],
  'application/yaml': [
    'openapi: 3.0.0\ninfo: {title: A, version: "1"}\npaths:\n  /a/{id}:\n    get:\n      summary: s\n      parameters: [{name: id, in: path, schema: {$ref: "#/components/schemas/A"}}]\n      responses: {"200": {description: ok}}\ncomponents:\n  schemas:\n    A: &a {type: object, properties: {b: {$ref: "#/components/schemas/A"}}}\n    B: *a\n',
  ],
  'application/json': [
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'A', version: '1' },
      servers: [{ url: 'https://a' }],
      paths: {
        '/a': {
          post: {
            operationId: 'p',
            requestBody: {
              content: { 'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/A' }] } } },
            },
            responses: {},
          },
        },
      },
      components: {
        schemas: {
          A: {
            type: 'object',
            required: ['a'],
            properties: {
              a: { enum: [1, 'b'] },
              c: { type: 'array', items: { $ref: '#/components/schemas/A' } },
            },
          },
        },
      },
    }),
  ],
  'text/typescript': [
    "/** Doc. */\nexport declare class A<T> {\n  /** b */\n  b(c: string): Promise<T>;\n}\nexport interface B { c: 'd' | `e${string}`; }\nexport type C = { [k: string]: A<B> };\nexport declare function f(a: number): void;\n",
  ],
};
