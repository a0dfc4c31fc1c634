import type { ErrorRecord, FieldMeta, JsonObject, JsonValue } from '@dacapo/protocol';
import { judgeOutcome, type Judgement } from './judge-outcome.js';

type Types = NonNullable<FieldMeta['types']>;

const failure = (properties: JsonObject, meta: FieldMeta = {}): ErrorRecord => ({
  name: 'HttpError',
  message: 'Request failed',
  properties,
  meta,
});
/** An error with one property, and what notes say of it. */
const holding = (key: string, value: JsonValue, note?: Types[string]): ErrorRecord =>
  failure({ [key]: value }, note === undefined ? {} : { types: { [`/properties/${key}`]: note } });
const judged = (before: ErrorRecord, now: ErrorRecord): Judgement =>
  judgeOutcome({ error: before }, { error: now });

const DATA = { type: 'class', class: 'Data' } as const;
const SERVICE = { type: 'class', class: 'Service', methods: true } as const;
const RUN = { type: 'class', class: 'RunState', methods: true } as const;

describe('Properties of errors', () => {
  it.each<[string, ErrorRecord, ErrorRecord]>([
    ['a status', failure({ status: 429 }), failure({ status: 500 })],
    ['one that is gone', failure({ status: 429 }), failure({})],
    ['data inside', failure({ body: [{ retry: true }] }), failure({ body: [{ retry: false }] })],
    ['a pid of no process', failure({ pid: 1 }), failure({ pid: 2 })],
    ['a configuration of no request', failure({ config: { a: 1 } }), failure({ config: { a: 2 } })],
    ['a request that is data', holding('request', { a: 1 }), holding('request', { a: 2 })],
    ['a request of a class of data', holding('req', { a: 1 }, DATA), holding('req', { a: 2 }, DATA)],
    ['a state', failure({ state: 'open' }), failure({ state: 'closed' })],
    ['a state of a class', holding('state', { a: 1 }, DATA), holding('state', { a: 2 }, DATA)],
    ['an agent run elsewhere', holding('at', { a: 1 }, RUN), holding('at', { a: 2 }, RUN)],
  ])('are compared: %s', (_, before, now) => {
    expect(judged(before, now).verdict).toBe('error');
    expect(judged(before, before)).toEqual({ verdict: 'same', failingAsBefore: true });
  });

  it.each<[string, ErrorRecord, ErrorRecord]>([
    ['ids of the request', failure({ 'x-request-id': 'a' }), failure({ 'x-request-id': 'b' })],
    ['headers, however deep', failure({ a: [{ headers: { b: 1 } }] }), failure({ a: [{ headers: {} }] })],
    ['a function', holding('retry', null, { type: 'opaque', class: 'Function' }), failure({})],
    ['the pid of a process', failure({ pid: 1, signal: 'SIGKILL' }), failure({ pid: 2, signal: 'SIGKILL' })],
    ['how axios was set up', failure({ config: 1, isAxiosError: true }), failure({ isAxiosError: true })],
    ['how a request was set up', failure({ config: 1, request: {} }), failure({ config: 2, request: {} })],
    [
      'a request of which the class is known',
      holding('request', null, { type: 'opaque', class: 'ClientRequest' }),
      failure({}),
    ],
    [
      'a request that tells of itself',
      holding('request', 1, { type: 'toJSON', class: 'Request' }),
      holding('request', 2, { type: 'toJSON', class: 'Request' }),
    ],
    ['a client', holding('client', { a: 1 }, SERVICE), holding('client', { a: 2 }, SERVICE)],
    ['the run of an agent', holding('state', { a: 1 }, RUN), holding('state', { a: 2 }, RUN)],
    ...(
      [
        ['a Map', (id) => [['k', { traceId: id }]], 'Map'],
        ['a Set', (id) => [{ traceId: id }], 'Set'],
        ['an object of a class', (id) => ({ traceId: id }), DATA],
        ['what a codec made', (id) => ({ traceId: id }), { type: 'codec', name: 'issue' }],
        ['what tells of itself', (id) => ({ traceId: id }), { type: 'toJSON', class: 'Issue' }],
      ] as [string, (id: number) => JsonValue, Types[string]][]
    ).map(([what, make, note]): [string, ErrorRecord, ErrorRecord] => [
      `an id in ${what}`,
      holding('issue', make(1), note),
      holding('issue', make(2), note),
    ]),
  ])('are not compared: %s', (_, before, now) => {
    expect(judged(before, now)).toEqual({ verdict: 'same', failingAsBefore: true });
    expect(judged(now, before)).toEqual({ verdict: 'same', failingAsBefore: true });
  });

  it('are unknown when their values cannot be compared, and list where', () => {
    const socket = holding('peer', null, { type: 'opaque', class: 'Socket' });
    expect(judged(socket, socket)).toMatchObject({
      verdict: 'unknown',
      diff: [{ path: '$error.peer', kind: 'unknown' }],
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['nobody knows what', { properties: 9, kept: 1 }, { properties: 9, kept: 1 }],
    // What is of the moment is part of what was hashed.
    ['its hashes are equal', { bytes: 9, kept: 1, sha256: 'x' }, { bytes: 9, kept: 1, sha256: 'x' }],
    ['its hashes differ', { bytes: 9, kept: 1, sha256: 'x' }, { bytes: 9, kept: 1, sha256: 'y' }],
  ])('are unknown when some of them were cut: %s', (_, before, now) => {
    for (const at of ['/properties', '/properties/body', '/properties/body/list']) {
      const cut = (note: JsonObject): ErrorRecord =>
        failure({ body: { list: [1] } }, { truncated: { [at]: note } });
      expect(judged(cut(before), cut(now)).verdict).toBe('unknown');
    }
  });

  it('are listed by path, like message and code', () => {
    const before = { ...failure({ status: 1 }), errors: [failure({ at: 1 })], cause: failure({ of: 1 }) };
    const now = {
      ...failure({ status: 2 }),
      name: 'OtherError',
      class: 'Other',
      errors: [failure({ at: 2 })],
      cause: failure({ of: 2 }),
    };
    expect(
      judged(before, now)
        .diff?.map(({ path }) => path)
        .sort(),
    ).toEqual(['$error.cause.of', '$error.class', '$error.errors[0].at', '$error.name', '$error.status']);
  });

  it('are those of a thrown value that is not an error', () => {
    const thrown = (value: JsonValue): ErrorRecord => ({ name: 'Object', message: '', thrown: value });
    expect(judged(thrown({ status: 1 }), thrown({ status: 2 }))).toMatchObject({
      verdict: 'error',
      diff: [{ path: '$error.thrown.status' }],
    });
    expect(judged(thrown([1]), thrown([2])).verdict).toBe('error');
    expect(judged(thrown({ status: 1 }), thrown({ status: 1 })).verdict).toBe('same');
  });

  it('are separate from the class, with any names', () => {
    const ofClass = (name: string, properties: JsonObject): ErrorRecord => ({
      ...failure(properties),
      class: name,
    });
    const differing = (before: ErrorRecord, now: ErrorRecord): string[] | undefined =>
      judged(before, now).diff?.map(({ path }) => path);
    const key = (name: string): string => `$error[${JSON.stringify(name)}]`;
    expect(differing(ofClass('A', { class: 1 }), ofClass('B', { class: 1 }))).toEqual([key('(class)')]);
    expect(differing(ofClass('A', { class: 1 }), ofClass('A', {}))).toEqual(['$error.class']);
    expect(differing(ofClass('A', {}), ofClass('A', { class: 1 }))).toEqual(['$error.class']);
    const both = { class: 1, '(class)': 1 };
    expect(differing(ofClass('A', both), ofClass('B', both))).toEqual([key('((class))')]);
  });
});

describe('The message of a thrown object', () => {
  const thrown = (message: string, value: JsonValue): ErrorRecord => ({
    name: 'Object',
    message,
    thrown: value,
  });
  const asJson = (value: JsonValue, length?: number): ErrorRecord =>
    thrown(JSON.stringify(value).slice(0, length), value);
  const [one, other] = [
    { a: 'x'.repeat(20_000), b: 1 },
    { b: 1, a: 'x'.repeat(20_000) },
  ];

  it.each<[string, ErrorRecord, ErrorRecord, string]>([
    ['is its JSON with keys in another order', asJson({ a: 1, b: 2 }), asJson({ b: 2, a: 1 }), 'same'],
    ['is the head of that JSON', asJson(one, 16_384), asJson(other, 16_384), 'same'],
    ['is a longer head', asJson(one, 16_390), asJson(other, 16_390), 'same'],
    ['is a head too short to have been cut', asJson(one, 16_383), asJson(other, 16_383), 'error'],
    ['is its end', thrown('x'.repeat(16_384) + '"}', { a: one.a }), asJson({ a: one.a }), 'error'],
    ['is another text', thrown('x', { a: 1 }), thrown('y', { a: 1 }), 'error'],
    [
      'is another long text',
      thrown('x'.repeat(16_384), { a: 1 }),
      thrown('y'.repeat(16_384), { a: 1 }),
      'error',
    ],
    [
      'is the JSON of the properties of an error',
      { ...failure({ a: 1, b: 2 }), message: '{"a":1,"b":2}' },
      { ...failure({ b: 2, a: 1 }), message: '{"b":2,"a":1}' },
      'error',
    ],
  ])('%s', (_, before, now, verdict) => {
    expect(judged(before, now).verdict).toBe(verdict);
    expect(judged(now, before).verdict).toBe(verdict);
  });
});

describe('An error recorded without class and properties', () => {
  const old: ErrorRecord = { name: 'HttpError', message: 'Request failed' };

  it.each<[string, ErrorRecord, string]>([
    ['has neither', failure({}), 'same'],
    ['has properties', failure({ status: 1 }), 'unknown'],
    ['has properties of the moment', failure({ requestId: 'a' }), 'same'],
    ['has another class', { ...failure({}), class: 'Other' }, 'unknown'],
    ['has another message', { ...failure({ status: 1 }), message: 'b' }, 'error'],
  ])('with one that %s', (_, now, verdict) => {
    expect(judged(old, now).verdict).toBe(verdict);
    expect(judged(now, old).verdict).toBe(verdict);
    const cause = (error: ErrorRecord): ErrorRecord => ({ ...old, cause: error });
    expect(judged(cause(old), cause(now)).verdict).toBe(verdict);
    const gathering = (...errors: ErrorRecord[]): ErrorRecord => ({ ...old, errors });
    expect(judged(gathering(old, old), gathering(old, now)).verdict).toBe(verdict);
  });

  it.each<[string, ErrorRecord, ErrorRecord, string]>([
    ['has the class alone', old, { ...old, class: 'Other' }, 'unknown'],
    ['has another class alone', { ...old, class: 'One' }, { ...old, class: 'Other' }, 'unknown'],
    ['has an empty list of errors', old, { ...old, errors: [] }, 'error'],
    ['has a cause with errors', old, { ...old, cause: { ...old, errors: [old] } }, 'error'],
    [
      'has the thrown object that its message is',
      { ...old, message: '{"a":1}' },
      { ...old, message: '{"a":1}', thrown: { a: 1 } },
      'same',
    ],
    ['has a thrown object besides', old, { ...old, thrown: { a: 1 } }, 'unknown'],
    [
      'has a thrown object with types',
      { ...old, message: '{"a":"1"}' },
      { ...old, message: '{"a":"1"}', thrown: { a: '1' }, meta: { types: { '/thrown/a': 'bigint' } } },
      'unknown',
    ],
  ])('compared with one that %s', (_, before, now, verdict) => {
    expect(judged(before, now).verdict).toBe(verdict);
    expect(judged(now, before).verdict).toBe(verdict);
  });

  it('lists no difference when the common parts are equal', () => {
    expect(judged(old, failure({ status: 1 }))).toEqual({ verdict: 'unknown' });
  });

  it('differs from one with fewer aggregated errors', () => {
    expect(judged({ ...old, errors: [old, old] }, { ...old, errors: [old] }).verdict).toBe('error');
  });
});
