import { API, type Route, type Schema as ApiSchema, type Stream } from '@dacapo/protocol/api';
import { toJsonSchema } from '@valibot/to-json-schema';
import { isOptional, successStatus } from '../routes/handles.decorator.js';

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** The sections, in their order. */
const TAGS = {
  Recording: 'Spans, traces and scores, sent by SDKs and by your own programs.',
  Reading: 'What was recorded: traces, spans, sessions, calls, scores.',
  'Test runs': 'Replays and evaluations: their calls, their results, what was accepted.',
  Datasets: 'Sets of examples, in versions that never change.',
  Indexes: 'Documents, and searches in them.',
  Functions: 'Native functions and their versions.',
  Data: 'Deletions and retention.',
  Access: 'The account, its members, its keys, its browsers, and who did what.',
  Service: 'Probes, and this description.',
};

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
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

type Content = Record<string, { schema: Schema }>;

const ERROR = toJson({ $ref: '#/components/schemas/ErrorBody' });

/** What a request may be refused with, and when. */
const REFUSALS: readonly [status: number, when: string, (route: Route) => boolean][] = [
  [400, 'The query or the body is invalid; `detail` names the field.', () => true],
  [401, 'No key, or none that is valid.', needsKey],
  [403, 'The key lacks the scope; `detail` names it.', ({ scope }) => scope !== 'nothing' && scope !== 'key'],
  [
    404,
    'The account of the key has no such object, the account was deleted, or no key was ever created.',
    needsKey,
  ],
  [413, 'The body is too large.', hasBody],
  [415, 'The body has another type, or an unknown encoding.', hasBody],
  [429, 'Too much at once; `Retry-After` says when to come again.', needsKey],
  [503, 'The storage does not answer at the moment; `Retry-After` says when to come again.', () => true],
];

/** The OpenAPI 3.1 document of all routes. @param schemas of what is recorded, by name */
export function openApiDocument(
  schemas: Readonly<Record<string, Schema>>,
  version: string,
  url: string,
): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const route of Object.values(API).flatMap((routes) => Object.values<Route>(routes))) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      ...{ title: 'Dacapo', version, license: { name: 'MIT', identifier: 'MIT' } },
      description:
        'Records AI calls of an application, and replays them through new code. Times are ISO 8601 in UTC with ' +
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

function describe(route: Route): DescribedOperation {
  const { tag, summary, scope, body, bodyStream, answer, answerStream, conflict } = route;
  const isPublic = scope === 'nothing';
  const answered = answerStream ? toText(answerStream) : answer && toAnswer(answer);
  const refusals = REFUSALS.filter(([, , applies]) => applies(route));
  return {
    operationId: operationId(route),
    tags: [tag],
    summary,
    ...(!isPublic && {
      description: scope === 'key' ? 'Needs any valid key.' : `Needs the scope \`${scope}\`.`,
    }),
    security: isPublic ? [] : [{ apiKey: [] }, { bearer: [] }],
    parameters: [...pathParameters(route), ...queryParameters(route)],
    ...(body && { requestBody: { required: !isOptional(body), content: toJson(toSchema(body)) } }),
    ...(bodyStream && { requestBody: { required: true, content: toText(bodyStream) } }),
    responses: {
      [successStatus(route)]: {
        description: answered ? 'Done.' : 'Done; without a body.',
        ...(answered && { content: answered }),
      },
      ...(conflict !== undefined && { 409: { description: conflict, content: ERROR } }),
      ...Object.fromEntries(refusals.map(([code, when]) => [code, { description: when, content: ERROR }])),
    },
  };
}

function needsKey({ scope }: Route): boolean {
  return scope !== 'nothing';
}

function hasBody({ body, bodyStream }: Route): boolean {
  return (body ?? bodyStream) !== undefined;
}

function toSchema(schema: ApiSchema): Schema {
  const described = toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore', target: 'draft-2020-12' });
  delete described.$schema;
  return { ...described };
}

function toJson(schema: Schema): Content {
  return { 'application/json': { schema } };
}

function toText({ type, text }: Stream): Content {
  return { [type]: { schema: { type: 'string', description: text } } };
}

/** Objects that are answered may have more fields than are known. */
function toAnswer(schema: ApiSchema): Content {
  return toJson(JSON.parse(JSON.stringify(toSchema(schema), withoutBounds)) as Schema);
}

function withoutBounds(name: string, value: unknown): unknown {
  return name === 'additionalProperties' && value === false ? undefined : value;
}

function pathParameters({ path, parameters }: Route): DescribedOperation['parameters'] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const known = parameters?.[name];
    return { name, in: 'path', required: true, schema: known ? toSchema(known) : { type: 'string' } };
  });
}

function queryParameters({ query = {} }: Route): DescribedOperation['parameters'] {
  return Object.entries(query).map(([name, entry]) => {
    const { description, ...schema } = toSchema(entry) as Schema & { description?: string };
    return {
      name,
      in: 'query',
      required: entry.type !== 'exact_optional',
      ...(description !== undefined && { description }),
      schema,
    };
  });
}

/** Such as `get_traces_id_spans_span_id`. */
function operationId({ method, path }: Route): string {
  const name = path.replace(/^\/api\/(v1\/)?/, '').replace(/\W+/g, '_');
  return `${method.toLowerCase()}_${name}`.replace(/_+/g, '_');
}
