import { type Answer, API, encodeQuery, type Input, type Route, type Schema } from '@dacapo/protocol/api';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests: address, key, timeouts and errors are the host's. */
export interface Transport {
  /**
   * Sends one request and reads the JSON of its answer.
   *
   * @param path with its query
   * @param body sent as JSON; `undefined` sends no body
   * @param members that the answer must have, such as `data.results[]`: without them, something else answers at the address
   */
  request(
    method: Route['method'],
    path: string,
    body: object | undefined,
    members: readonly string[],
    options: CallOptions,
  ): Promise<unknown>;
}

/** Fields that may be absent may be `undefined`, too. */
type Loose<T> = { [Name in keyof T]: object extends Pick<T, Name> ? T[Name] | undefined : T[Name] };

/** Calls a route with its path parameters, query parameters and fields of the body in one object. */
export type Call<R extends Route> =
  object extends Input<R>
    ? (input?: Loose<Input<R>>, options?: CallOptions) => Promise<Answer<R>>
    : (input: Loose<Input<R>>, options?: CallOptions) => Promise<Answer<R>>;

type Api = typeof API;

/** Streams are read and written without the client. */
type JsonRoute<Routes> = {
  [Name in keyof Routes]: Routes[Name] extends { bodyStream: object } | { answerStream: object }
    ? never
    : Name;
}[keyof Routes];

/** The routes of the service by resource, such as `client.deletions.get({ id })`. */
export type Client = {
  readonly [Resource in keyof Api]: {
    readonly [Name in JsonRoute<Api[Resource]>]: Api[Resource][Name] extends Route
      ? Call<Api[Resource][Name]>
      : never;
  };
};

/** Unknown fields of answers are kept as they are: a newer service may know more. */
export function createClient(transport: Transport): Client {
  const resources = Object.entries(API).map(([resource, routes]) => [
    resource,
    Object.fromEntries(
      Object.entries<Route>(routes).map(([name, route]) => [
        name,
        (input: object = {}, options: CallOptions = {}) => send(transport, route, input, options),
      ]),
    ),
  ]);
  return Object.fromEntries(resources) as Client;
}

function send(
  transport: Transport,
  { method, path, query, body, answer }: Route,
  input: object,
  options: CallOptions,
): Promise<unknown> {
  const rest = new Map<string, unknown>(Object.entries(input));
  const named = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(rest.get(name));
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const queryFields = Object.fromEntries(rest);
  const whole = query === undefined ? named : named + encodeQuery(queryFields);
  const sent = body === undefined ? undefined : queryFields;
  return transport.request(method, whole, sent, requiredMembers(answer), options);
}

/** What has no value: it is optional, or may be `null`. */
const OPEN = new Set(['exact_optional', 'nullable', 'null', 'any']);

function requiredMembers(schema: Schema | undefined): string[] {
  const { entries = {} } = (schema ?? {}) as { entries?: Record<string, Schema> };
  return Object.entries(entries).flatMap(([name, member]) => {
    if (OPEN.has(member.type)) return [];
    if (member.type === 'array') return [`${name}[]`];
    return [name, ...requiredMembers(member).map((inner) => `${name}.${inner}`)];
  });
}
