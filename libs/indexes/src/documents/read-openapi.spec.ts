import type { DocumentUpload } from '@dacapo/protocol';
import type { Section } from '../sections.js';
import { readDocument } from './read-document.js';

const petStore = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '2.1.0', description: 'All about pets.' },
  servers: [{ url: 'https://pets.example' }],
  security: [{ key: [] }],
  paths: {
    '/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
      get: {
        operationId: 'getPet',
        tags: ['pets'],
        summary: 'One pet',
        responses: {
          200: {
            description: 'The pet.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
          },
          404: { description: 'No such pet.' },
        },
      },
      put: {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
        responses: {},
      },
    },
  },
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'API-Key' } },
    schemas: {
      Pet: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', description: 'What it is called.' },
          kind: { enum: ['cat', 'dog'] },
          parent: { $ref: '#/components/schemas/Pet' },
        },
      },
    },
  },
};
const read = async (content: string, content_type: DocumentUpload['content_type'] = 'application/json') =>
  (await readDocument({ source: 'api.json', content, content_type })).sections;

describe('An OpenAPI description', () => {
  let sections: Section[];
  beforeAll(async () => {
    sections = await read(JSON.stringify(petStore));
  });
  const about = (title: string): string => sections.find((section) => section.title === title)?.content ?? '';

  it('has a section for each operation, named by method and path, one for each schema, and an overview', () => {
    expect(sections.map(({ title, anchor }) => [title, anchor])).toEqual([
      ['Pets', undefined],
      ['Pets › pets › GET /pets/{id}: One pet', 'getPet'],
      ['Pets › PUT /pets/{id}', undefined],
      ['Pets › Schemas › Pet', 'Pet'],
    ]);
  });

  it('describes parameters, bodies, responses, errors and security of an operation', () => {
    const operation = about('Pets › pets › GET /pets/{id}: One pet');
    expect(operation).toContain('- `id` (path, string (uuid), required)');
    expect(operation).toContain(
      'Response 200: The pet.\napplication/json\n- `name` (string, required): What it is called.',
    );
    expect(operation).toContain('- `kind` ("cat" | "dog")');
    expect(operation).toContain('Response 404: No such pet.');
    expect(operation).toContain('Security: key');
    expect(about('Pets › PUT /pets/{id}')).toContain('Request body\napplication/json\n- `name`');
    expect(about('Pets')).toContain('- key: apiKey header API-Key');
  });

  it('can be YAML', async () => {
    const yaml = 'openapi: 3.1.0\ninfo: { title: T, version: 1 }\npaths:\n  /a:\n    get: { summary: S }\n';
    expect((await read(yaml, 'application/yaml')).map(({ title }) => title)).toEqual(['T', 'T › GET /a: S']);
  });

  it.each([
    ['{}', 'application/json', 'not an OpenAPI 3 description'],
    ['{', 'application/json', 'not JSON'],
    ['a: [', 'application/yaml', 'not YAML'],
  ] as const)('is not %j as %s', async (content, type, reason) => {
    await expect(read(content, type)).rejects.toThrow(reason);
  });
});
