import type { Need } from '../access/needs.decorator.js';
import type { QueryParameters } from '../query/query-parameters.js';
import { type Operation, TAGS } from './operation.js';
import { OPERATIONS } from './operations.js';
import type { Schema } from './schema.js';

/** A route as its handler declares it. */
export interface DeclaredRoute {
  method: string;
  /** With `:name` for a parameter. */
  path: string;
  need: Need;
  query: QueryParameters;
  /** Of a success. */
  status: number;
}

export interface OpenApiDocument {
  openapi: string;
  info: Record<string, unknown>;
  /** Where this service is reached. */
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  /** By path, then by method in lower case. */
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Readonly<Record<string, Schema>>; securitySchemes: Record<string, Schema> };
}

export interface DescribedOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
}

const ERROR = { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } };

/** What a request may be refused with, and when. */
const REFUSALS: readonly [
  status: number,
  when: string,
  (route: DeclaredRoute, operation: Operation) => boolean,
][] = [
  [400, 'The query or the body is invalid; `detail` names the field.', () => true],
  [401, 'No key, or none that is valid.', ({ need }) => need !== 'nothing'],
  [403, 'The key lacks the scope; `detail` names it.', ({ need }) => need !== 'nothing' && need !== 'key'],
  [
    404,
    'There is no such thing in the account of the key, the account was deleted, or no key was ever created.',
    ({ need }) => need !== 'nothing',
  ],
  [413, 'The body is too large.', (_, { body }) => body !== undefined],
  [415, 'The body has another type, or an unknown encoding.', (_, { body }) => body !== undefined],
  [429, 'Too much at once; `Retry-After` says when to come again.', ({ need }) => need !== 'nothing'],
  [503, 'The storage does not answer at the moment; `Retry-After` says when to come again.', () => true],
];

/** Makes the OpenAPI 3.1 document of the routes that {@link OPERATIONS} tells of; pages are no part of it. */
export function openApiDocument(
  routes: readonly DeclaredRoute[],
  schemas: Readonly<Record<string, Schema>>,
  version: string,
  url: string,
): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const operation = OPERATIONS[`${route.method} ${route.path}`];
    if (operation === undefined) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route, operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      ...{ title: 'Dacapo', version, license: { name: 'MIT', identifier: 'MIT' } },
      description:
        'Records what the AI functions of an application did, and plays it again through new code. Times are ISO 8601 in UTC with ' +
        'microseconds. Names that a query does not take are refused. Every error is `{ detail, status_code }`.',
    },
    servers: [{ url }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

function describe(route: DeclaredRoute, operation: Operation): DescribedOperation {
  const {
    tag,
    summary,
    body,
    isBodyOptional,
    bodyType = 'application/json',
    conflict,
    answer,
    answerType = 'application/json',
  } = operation;
  const { need, status } = route;
  const refusals = REFUSALS.filter(([, , applies]) => applies(route, operation));
  return {
    operationId: operationIdOf(route),
    tags: [tag],
    summary,
    ...(need !== 'nothing' && {
      description: need === 'key' ? 'Needs any valid key.' : `Needs the scope \`${need}\`.`,
    }),
    security: need === 'nothing' ? [] : [{ apiKey: [] }, { bearer: [] }],
    parameters: [...pathParameters(route), ...queryParameters(route)],
    ...(body && {
      requestBody: { required: isBodyOptional !== true, content: { [bodyType]: { schema: body } } },
    }),
    responses: {
      [status]: {
        description: answer ? 'Done.' : 'Done; without a body.',
        ...(answer && { content: { [answerType]: { schema: answer } } }),
      },
      ...(conflict !== undefined && { 409: { description: conflict, content: ERROR } }),
      ...Object.fromEntries(refusals.map(([code, when]) => [code, { description: when, content: ERROR }])),
    },
  };
}

function pathParameters({ path }: DeclaredRoute): DescribedOperation['parameters'] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    ...{ name, in: 'path', required: true, schema: { type: 'string' } },
  }));
}

function queryParameters({ query }: DeclaredRoute): DescribedOperation['parameters'] {
  return Object.entries(query).map(([name, { description, isList, ...one }]) => {
    const schema = isList === true ? { type: 'array', items: one } : { ...one };
    return { name, in: 'query', description, schema };
  });
}

/** Such as `get_traces_id_spans_span_id`. */
function operationIdOf({ method, path }: DeclaredRoute): string {
  return `${method.toLowerCase()}_${path.replace(/^\/api\/(v1\/)?/, '').replace(/\W+/g, '_')}`.replace(
    /_+/g,
    '_',
  );
}
