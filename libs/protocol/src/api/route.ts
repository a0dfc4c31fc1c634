import type * as v from 'valibot';
import type { Scope } from '../http/api-keys.js';
import type { Schema } from './schema/kinds.js';

/** A route of the service: the controller, the OpenAPI document and the client come from it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `:name` is a path parameter. */
  readonly path: string;
  /** What a caller needs: a scope, any valid `key`, or `nothing`. */
  readonly scope: Scope | 'key' | 'nothing';
  /** Signed-in members with this scope may call it, too. */
  readonly memberScope?: Scope;
  /** The section of the OpenAPI document. */
  readonly tag: string;
  readonly summary: string;
  /** Path parameters that are more than a text, by name. */
  readonly parameters?: Readonly<Record<string, Schema>>;
  /** Query parameters by name. Default: none. */
  readonly query?: Readonly<Record<string, Schema>>;
  /** The JSON object that is sent. */
  readonly body?: Schema;
  /** The body may nest deep: its reader refuses what does. */
  readonly isDeep?: true;
  /** The JSON that is answered; nothing when absent. */
  readonly answer?: Schema;
  /** What is sent in place of JSON. Its handler reads it. */
  readonly bodyStream?: Stream;
  /** What is answered in place of JSON. Its handler writes it to the reply. */
  readonly answerStream?: Stream;
  /** Of a success. Default: 200, or 204 without an answer. */
  readonly status?: 201;
  /** When it is answered with 409. */
  readonly conflict?: string;
}

/** Bytes or lines, of a media type. */
export interface Stream {
  readonly type: string;
  readonly text: string;
}

export const route = <const R extends Route>(definition: R): R => definition;

/** Replaces the `:name` parts of a route's path with percent-encoded values. */
export function routePath<const R extends Pick<Route, 'path'>>(route: R, parameters: PathTexts<R>): string {
  const values = new Map<string, string>(Object.entries(parameters));
  return route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ''));
}

/** A text for each `:name` of a route's path. */
export type PathTexts<R extends Pick<Route, 'path'>> = Readonly<Record<PathName<R['path']>, string>>;

type PathName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathName<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Optional<Entries> = {
  [Name in keyof Entries]: Entries[Name] extends { type: 'exact_optional' } ? Name : never;
}[keyof Entries];

type Query<Entries> = {
  -readonly [Name in Exclude<keyof Entries, Optional<Entries>>]: Value<Entries[Name]>;
} & { -readonly [Name in Optional<Entries>]?: Value<Entries[Name]> };

type Parameters<R extends Route> = {
  -readonly [Name in PathName<R['path']>]: R extends { parameters: Record<Name, infer S> }
    ? Value<S>
    : string;
};

type Value<S> = S extends Schema ? v.InferOutput<S> : unknown;

/** What a route takes: path parameters, query parameters and fields of the body, which share no name. */
export type Input<R extends Route> = Parameters<R> &
  (R extends {
    query: infer Entries;
  }
    ? Query<Entries>
    : unknown) &
  (R extends { body: infer Body extends Schema } ? v.InferOutput<Body> : unknown);

/** What a route answers. */
export type Answer<R extends Route> = R extends { answer: infer S extends Schema }
  ? v.InferOutput<S>
  : undefined;
