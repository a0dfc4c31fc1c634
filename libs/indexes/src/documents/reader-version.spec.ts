import type { DocumentUpload } from '@dacapo/protocol';
import { createHash } from 'node:crypto';
import { READER_VERSION, readDocument } from './read-document.js';

/** Hashes of the results for the uploads below, by version. */
const RESULT_HASHES: Record<number, string> = {
  4: 'e1c877c78d539da3',
};

const UPLOADS: Pick<DocumentUpload, 'source' | 'content' | 'content_type'>[] = [
  {
    source: 'guide.mdx',
    content_type: 'text/markdown',
    content: [
      '---\ntitle: Guide\ndescription: How it works\ntags: [a, b]\n---',
      "import { Tabs } from './tabs'",
      'Before the first heading. ![](data:image/png;base64,iVBORw0KGgo=)\n',
      '<h1 align="center">\n  <a id="top">Guide</a>\n</h1>\n',
      '## Install {#setup}\n\n```sh\n# not a heading\nnpm install\n```\n',
      'Underlined\n----------\n\n| a | b |\n| - | - |\n| 1 | 2 |\n',
      '### `name(options)` [link](x) ##\n\n<!-- aside -->\ntext\n\n### Empty\n\n## Install\n\nagain',
      `~~~js\n${'const value = 1;\n'.repeat(200)}~~~\n${'words of a long paragraph. '.repeat(200)}`,
    ].join('\n'),
  },
  {
    source: 'page.html',
    content_type: 'text/html',
    content: [
      '<title>Page</title><nav>menu</nav><main><h1 id="p">Page</h1><p>An <b>intro</b> &amp; more.</p>',
      '<table><tr><th>Option</th><th>Default</th></tr><tr><td>retries</td><td>3</td></tr></table>',
      '<h2>Terms</h2><dl><dt>span</dt><dd>a call</dd></dl><ul><li>one<ol><li>two</li></ol></li></ul>',
      '<pre><code class="language-js">const a = 1;\n\nconst b = 2;</code></pre><script>no</script></main><footer>no</footer>',
    ].join('\n'),
  },
  {
    source: 'notes.txt',
    content_type: 'text/plain',
    content: 'intro\n\nInstall\n=======\nrun\n\nUse\n---\nit',
  },
  {
    source: 'llms.txt',
    content_type: 'text/plain',
    content: '# Acme\n\n> What it is\n\n## Docs\n\n- [a](b)',
  },
  {
    source: 'guide.rst',
    content_type: 'text/x-rst',
    content: '====\nGuide\n====\n\nPart\n----\n\nRun it::\n\n  npm start\n\n.. code-block:: js\n\n   a()\n',
  },
  {
    source: 'guide.adoc',
    content_type: 'text/asciidoc',
    content:
      '= Guide\n\nIntro.\n\n== Part\n\n[source,js]\n----\na()\n----\n\nNOTE: a note\n\nterm:: what it is',
  },
  {
    source: 'types.d.ts',
    content_type: 'text/typescript',
    content: [
      '/** Opens. @param path of the file */\nexport declare function open(path: string): void;',
      'export declare function open(fd: number): void;',
      'interface Inner { a: string }\nexport interface Options { /** In ms. */ timeout?: number; inner: Inner }',
      `export declare class Large {\n  private hidden;\n${'  /** Does it. */\n  run(): void;\n'.repeat(80)}}`,
      "declare module 'other' { export const x: 1 }\nexport declare namespace N { type T = 'a' | 'b' }",
      'declare const kept: unique symbol;\nexport { kept as default };',
    ].join('\n'),
  },
  {
    source: 'api.yaml',
    content_type: 'application/yaml',
    content: [
      'openapi: 3.0.3\ninfo: { title: Shop, version: "2", description: A shop }\nservers: [{ url: https://a.b }]',
      'security: [{ key: [] }]\npaths:\n  /orders/{id}:\n    parameters:\n      - { name: id, in: path, required: true, schema: { type: string } }',
      '    get:\n      tags: [orders]\n      summary: One order\n      operationId: getOrder\n      responses:',
      '        "200": { description: It, content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } }',
      '        "404": { description: None }\n    post: { deprecated: true, responses: {} }',
      'components:\n  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }',
      '  schemas:\n    Order: { type: object, required: [id], properties: { id: { type: string }, lines: { type: array, items: { type: integer, enum: [1, 2] } } } }',
    ].join('\n'),
  },
];

describe('The version of the readers', () => {
  it('changes with the result, so that documents that are sent again are read again', async () => {
    const documents = await Promise.all(UPLOADS.map(readDocument));
    const results = documents.map(({ title, sections }) => ({ title, sections }));
    const digest = createHash('sha256').update(JSON.stringify(results)).digest('hex').slice(0, 16);
    if (RESULT_HASHES[READER_VERSION] === digest) return;
    throw new Error(
      `The result has changed. Increase READER_VERSION, and add ${READER_VERSION + 1}: '${digest}' to RESULT_HASHES.`,
    );
  });
});
