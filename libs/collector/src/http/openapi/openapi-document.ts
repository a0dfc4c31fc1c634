import { API, type Route, type Schema as ApiSchema, type Stream } from '@dacapo/protocol/api';
import { toJsonSchema } from '@valibot/to-json-schema';
import { isOptional, successStatus } from '../routes/handles.decorator.js';

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** The sections, in this order. */
const TAGS = {
  Recording: 'Spans, traces and scores, sent by SDKs and by your own programs.',
  Reading: 'Recorded data: traces, spans, sessions, calls, scores.',
  'Test runs': 'Replays and evaluations: calls, results, accepted outcomes.',
  Datasets: 'Sets of examples, in versions that never change.',
  Indexes: 'Documents and their search.',
  Functions: 'Native functions and their versions.',
  Data: 'Deletions and retention.',
  Sharing: 'Links that show one trace or test run without signing in.',
  Access: 'The account, its members, keys and browsers, and the audit log.',
  Service: 'Health probes, and this description.',
};

export interface OpenApiDocument {
  openapi: string;
  info: Record<string, unknown>;
  /** The addresses of this service. */
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

/** The error statuses of a request, and when they occur. */
const REFUSALS: readonly [status: number, when: string, (route: Route) => boolean][] = [
  [400, 'The query or the body is invalid; `detail` names the field.', () => true],
  [401, 'The key is missing or invalid.', needsKey],
  [403, 'The key lacks the scope; `detail` names it.', ({ scope }) => scope !== 'nothing' && scope !== 'key'],
  [
    404,
    'The account of the key has no such object, the account was deleted, or no key was ever created.',
    needsKey,
  ],
  [404, 'The link does not show this, has expired or was revoked.', isShared],
  [413, 'The body is too large.', hasBody],
  [415, 'The body has another type, or an unknown encoding.', hasBody],
  [
    429,
    'Too many requests; `Retry-After` has the time to wait.',
    (route) => needsKey(route) || isShared(route),
  ],
  [503, 'The storage does not answer; `Retry-After` has the time to wait.', () => true],
];

/** The OpenAPI 3.1 document of all routes. @param schemas of recorded values, by name */
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
      title: 'Dacapo',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'Records AI calls of an application, and replays them through new code. Times are ISO 8601 in UTC with ' +
        'microseconds. Unknown query parameters are refused. Every error is `{ detail, status_code }`.',
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
      description: describeNeed(route),
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

function describeNeed({ scope, memberScope }: Route): string {
  if (scope === 'key') return 'Any valid key.';
  const members =
    memberScope === undefined ? '' : `, or a signed-in member with the scope \`${memberScope}\``;
  return `Needs the scope \`${scope}\`${members}.`;
}

/** Its path has a secret in place of a key. */
function isShared({ path }: Route): boolean {
  return path.includes('/:secret');
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

/** Objects in answers may have more fields than the schema lists. */
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
