import { judgeOutcome, type OutcomeOptions } from '@dacapo/evaluation';
import { decodeThrown, type ErrorRecord, parseErrorRecord, readValue } from '@dacapo/protocol';
import Anthropic from '@anthropic-ai/sdk';
import { BamlClientHttpError, BamlValidationError } from '@boundaryml/baml';
import { BadRequestException, HttpException } from '@nestjs/common';
import { MaxTurnsExceededError, ToolCallError } from '@openai/agents';
import fc from 'fast-check';
import OpenAI from 'openai';
import { z } from 'zod';
import { Capturer } from '../capture/capturer.js';
import { sha256 } from '../hashing.js';

const capturer = new Capturer();

/** As it is kept: read from its line. */
function recorded(thrown: unknown, by = capturer): ErrorRecord {
  return parseErrorRecord('error', JSON.parse(by.captureError(thrown)));
}

function verdictOn(before: ErrorRecord, now: ErrorRecord, options: OutcomeOptions = {}): string {
  return judgeOutcome({ error: before }, { error: now }, { sha256, ...options }).verdict;
}

function thrown(before: unknown, now: unknown): string {
  const [was, is] = [recorded(before), recorded(now)];
  expect(verdictOn(is, was)).toBe(verdictOn(was, is));
  return verdictOn(was, is);
}

function returned(before: unknown, now: unknown): string {
  const [was, is] = [before, now].map((value) => {
    const { json, meta } = capturer.capture([value]);
    return readValue({ json: JSON.parse(json) as [], meta });
  });
  return judgeOutcome({ value: was! }, { value: is! }, { sha256 }).verdict;
}

const err = (properties: object, message = 'm') => Object.assign(new Error(message), properties);
class HttpError extends Error {}
class OtherError extends Error {}
class Locked extends Error {
  readonly #until: number;
  constructor(until: number) {
    super('locked');
    this.#until = until;
  }
  get until(): number {
    return this.#until;
  }
}
class Money {
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  get cents(): number {
    return this.#cents;
  }
}
class Price {
  constructor(readonly cents: number) {}
  plus(other: Price): Price {
    return new Price(this.#sum(other));
  }
  #sum(other: Price): number {
    return this.cents + other.cents;
  }
}
const openai = (status: number, type: string, request: string) =>
  OpenAI.APIError.generate(
    status,
    { error: { message: 'no', type } },
    'no',
    new Headers({ 'x-request-id': request }),
  );
const anthropic = (status: number, type: string, request: string) =>
  Anthropic.APIError.generate(status, { error: { type } }, 'no', new Headers({ 'request-id': request }));
const axios = (data: unknown, request: string) => {
  const made = {
    request: new Socket(request),
    config: { headers: { traceparent: request }, adapter: () => 1 },
  };
  const response = {
    status: 503,
    statusText: 'away',
    headers: { date: request },
    data,
    duration: 3,
    ...made,
  };
  return err({ isAxiosError: true, code: 'ERR_BAD_RESPONSE', status: 503, response, ...made });
};
class Socket {
  constructor(readonly id: string) {}
  on(): void {}
  emit(): void {}
}
const circular = (end: number) => {
  const error = err({ end });
  return Object.assign(error, { self: error, list: [error] });
};

describe('two errors', () => {
  it.each<[string, (n: 1 | 2) => unknown]>([
    ['a status', (n) => err({ status: 400 + n })],
    ['a property that one has', (n) => err(n === 1 ? {} : { retryable: false })],
    ['a type of a property', (n) => err({ status: n === 1 ? 400 : '400' })],
    ['a date and its text', (n) => err({ at: n === 1 ? new Date(5) : new Date(5).toISOString() })],
    ['a bigint', (n) => err({ at: BigInt(n) })],
    ['an entry of a Map', (n) => err({ limits: new Map([['a', n]]) })],
    ['a part of an issue', (n) => err({ issues: [{ path: ['a', n] }] })],
    ['a code that is neither a text nor a number', (n) => err({ code: n === 1 })],
    ['a code that is an object', (n) => err({ code: { n } })],
    ['errors that are no list', (n) => err({ errors: { name: n } })],
    ['a member of a list of errors', (n) => err({ errors: [{ field: n }] })],
    ['the end of a long property', (n) => err({ body: `${'x'.repeat(2_000_000)}${n}` })],
    ['the class', (n) => (n === 1 ? new HttpError('m') : new Error('m'))],
    [
      'the class of a cause',
      (n) => new Error('m', { cause: n === 1 ? new HttpError('m') : new OtherError('m') }),
    ],
    ['a property of a cause', (n) => new Error('m', { cause: err({ status: n }) })],
    ['a property of a cause that is no error', (n) => new Error('m', { cause: { message: 'a', status: n } })],
    ['a property of a member', (n) => new AggregateError([err({ status: n })], 'm')],
    ['an error in a property', (n) => err({ inner: err({ status: n }) })],
    ['an object of a class', (n) => err({ price: new Price(n) })],
    ['what is called pid', (n) => err({ pid: n })],
    ['settings', (n) => err({ config: n })],
    ['data by which a call was made', (n) => err({ request: { id: n } })],
    ['an object beside its message', (n) => ({ message: 'm', status: n })],
    ['a type inside an object', (n) => ({ at: n === 1 ? new Date(5) : new Date(5).toISOString() })],
    ['an object and an error', (n) => (n === 1 ? new Error('m') : { name: 'Error', message: 'm' })],
    ['an object and its text', (n) => (n === 1 ? { a: 1 } : '{"a":1}')],
    ['what is met again', (n) => circular(n)],
    ['the status of a request to OpenAI', (n) => openai(499 + n, 'a', 'r')],
    ['the type of an error of OpenAI', (n) => openai(500, `type${n}`, 'r')],
    ['the class of an error of OpenAI', (n) => openai(n === 1 ? 404 : 409, 'a', 'r')],
    ['the type of an error of Anthropic', (n) => anthropic(500, `type${n}`, 'r')],
    ['what the model said to BAML', (n) => new BamlValidationError('p', `raw${n}`, 'm', 'd')],
    ['the status of a request of BAML', (n) => new BamlClientHttpError('c', 'm', 500 + n, 'd')],
    ['the tool that failed', (n) => new ToolCallError('m', err({ status: n }))],
    ['the response of Nest', (n) => new HttpException({ field: n }, 418)],
    ['the class of Nest', (n) => (n === 1 ? new BadRequestException('m') : new HttpException('m', 400))],
    ['an issue of zod', (n) => z.object({ a: n === 1 ? z.string() : z.date() }).safeParse({ a: 1 }).error],
    ['the body of a response to axios', (n) => axios({ reason: n }, 'r')],
  ])('that differ in %s are not the same, thrown or returned', (_, make) => {
    expect([thrown(make(1), make(1)), thrown(make(1), make(2))]).toEqual(['same', 'error']);
    const [one, other] = [make(1), make(2)];
    if (!(one instanceof Error && other instanceof Error)) return;
    expect(returned(make(1), one)).toBe('same');
    expect(returned(one, other)).toBe('changed');
  });

  it.each<[string, (n: 1 | 2) => unknown]>([
    [
      'ids of requests and times',
      (n) => err({ status: 1, request_id: n, requestID: n, timestamp: n, trace_id: n }),
    ],
    ['a process', (n) => err({ status: 1, signal: null, pid: n })],
    ['connections', (n) => err({ socket: { remotePort: 443, localPort: n, bytesRead: n } })],
    ['headers, at any depth', (n) => err({ response: { status: 1, headers: { date: n } } })],
    ['functions', (n) => err({ issues: [], add: n === 1 ? () => 1 : () => 2, nested: { run: () => n } })],
    ['sockets', (n) => err({ socket: new Socket(`${n}`), agent: new Socket(`${n}`) })],
    ['requests to OpenAI', (n) => openai(429, 'a', `r${n}`)],
    ['requests to Anthropic', (n) => anthropic(429, 'a', `r${n}`)],
    ['requests of axios', (n) => axios({ reason: 1, request_id: n }, `r${n}`)],
    ['runs of an agent', (n) => new MaxTurnsExceededError('m', new RunState(n) as never)],
    ['messages of Nest', () => new BadRequestException(['a must be a text'])],
  ])('that differ in what %s have by the way are the same', (_, make) => {
    expect(thrown(make(1), make(2))).toBe('same');
    expect(returned(make(1), make(2))).toBe('same');
  });

  it('that differ in non-enumerable properties are not the same when thrown', () => {
    const hidden = (status: number) => Object.defineProperty(new Error('m'), 'status', { value: status });
    expect([thrown(hidden(1), hidden(1)), thrown(hidden(1), hidden(2))]).toEqual(['same', 'error']);
  });

  it('are unknown when a class has private fields, a property is a handle, or a getter would have to run', () => {
    expect(thrown(new Locked(1), new Locked(2))).toBe('unknown');
    expect(thrown(err({ response: new Response('a') }), err({ response: new Response('b') }))).toBe(
      'unknown',
    );
    let ran = 0;
    const getter = () => Object.defineProperty(err({}), 'status', { enumerable: true, get: () => ran++ });
    expect(thrown(getter(), getter())).toBe('unknown');
    expect(ran).toBe(0);
    expect(returned(new Locked(1), new Locked(2))).toBe('unknown');
    expect(returned(new Money(1), new Money(2))).toBe('unknown');
    expect(returned(new Price(1), new Price(1))).toBe('same');
  });

  it('are unknown when they or their properties cannot be read', () => {
    const trap = (): never => {
      throw new Error('no');
    };
    const closed = (error: Error) => new Proxy(error, { ownKeys: trap });
    expect(recorded(closed(err({ status: 1 })))).toMatchObject({ name: 'Error', message: 'm', cut: true });
    expect(thrown(closed(err({ status: 1 })), closed(err({ status: 2 })))).toBe('unknown');
    const sealed = (error: Error) => new Proxy(error, { getPrototypeOf: trap, get: trap, ownKeys: trap });
    expect(thrown(sealed(new Error('a')), sealed(new Error('b')))).toBe('unknown');
  });

  it('are compared by their other parts when an instance, Date, Map, Set or RegExp has more than is recorded', () => {
    const own = (value: object, x: number) => Object.assign(value, { x });
    const makers = [() => new Date(5), () => new Map([[1, 2]]), () => new Set([1]), () => /a/];
    for (const make of makers) expect(returned(own(make(), 1), own(make(), 2))).toBe('unknown');
    expect(returned(own(new Map([[1, 2]]), 1), own(new Map([[1, 3]]), 1))).toBe('changed');
  });

  it('may differ at ignored paths of errors, and only there', () => {
    const [one, other] = [recorded(err({ at: 1, n: [{ id: 1 }] })), recorded(err({ at: 2, n: [{ id: 2 }] }))];
    expect(verdictOn(one, other, { ignore: ['$error.at', '$error.n[*].id'] })).toBe('same');
    expect(verdictOn(one, other, { ignore: ['$error.at'] })).toBe('error');
    expect(verdictOn(one, other, { ignore: ['$.at', '$.n[*].id', '$..id'] })).toBe('error');
    expect(judgeOutcome({ error: one }, { error: other }).diff).toMatchObject([
      { path: '$error.at' },
      { path: '$error.n[0].id' },
    ]);
    expect(
      verdictOn(recorded(new Error('a')), recorded(new Error('b')), { ignore: ['$error.message'] }),
    ).toBe('same');
  });

  it('one of which has no properties recorded compare as they did, unless the other one has some', () => {
    const old = ({ name, message }: ErrorRecord): ErrorRecord => ({ name, message });
    const [plain, coded, sub] = [
      recorded(new Error('m')),
      recorded(err({ status: 1 })),
      recorded(new HttpError('m')),
    ];
    expect([plain, coded, sub].map((now) => verdictOn(old(now), now))).toEqual([
      'same',
      'unknown',
      'unknown',
    ]);
    expect(verdictOn(old(coded), old(coded))).toBe('same');
    expect(verdictOn(recorded('m'), recorded('m'))).toBe('same');
    expect(verdictOn(old(plain), recorded(new Error('n')))).toBe('error');
    const thrownBefore = recorded({ a: 1 });
    expect(verdictOn(old(thrownBefore), thrownBefore)).toBe('same');
    expect(verdictOn(old(recorded({ message: 'm' })), recorded({ message: 'm', status: 1 }))).toBe('unknown');
  });
});

/** Of an agent: what it holds is recorded as calls. */
class RunState {
  constructor(readonly turn: number) {}
  toJSON(): never {
    throw new Error('It ran.');
  }
}

describe('the properties of an error', () => {
  it('are recorded, and masked as any value is', () => {
    const key = 'sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ';
    const record = recorded(err({ status: 400, password: 'hunter2', deep: { note: `key ${key}` } }));
    expect(record).toMatchObject({ properties: { status: 400 }, meta: { redacted: expect.any(Array) } });
    expect(JSON.stringify(record)).not.toMatch(/hunter2|sk-abc/);
    const other = err({ status: 400, password: 'hunter3', deep: { note: `key ${key}` } });
    expect(verdictOn(record, recorded(other))).toBe('unknown');
    expect(verdictOn(record, record)).toBe('same');
  });

  it('are skipped, and missed, when values or outputs must stay local', () => {
    const secret = err({ detail: 'secret' }, 'words');
    const kept = [
      recorded(secret, new Capturer({ metadataOnly: true })),
      recorded(Object.assign(secret, { message: '' }), new Capturer({ metadataOnly: true })),
      recorded(secret, new Capturer({ output: false })),
      JSON.parse(capturer.captureError(secret, false)) as ErrorRecord,
    ];
    for (const record of kept) {
      expect(JSON.stringify(record)).not.toMatch(/secret|detail/);
      expect(verdictOn(record, record)).toBe('unknown');
    }
    expect(verdictOn(...twice(recorded(new Error('a'), new Capturer({ output: false }))))).toBe('same');
  });

  it('stay within the bounds of a field, and leave the error its name', () => {
    const large = Array.from({ length: 50 }, (_, at) => ({
      at,
      text: 'x'.repeat(10_000),
      password: 'hunter2',
    }));
    const small = new Capturer({ maxFieldBytes: 4096 });
    for (const thrownOne of [
      err({ large }),
      new Error('m', { cause: err({ large }) }),
      { large },
      err({ large }, 'x'.repeat(9000)),
    ]) {
      const json = small.captureError(thrownOne);
      expect(json.length).toBeLessThan(8192);
      expect(parseErrorRecord('error', JSON.parse(json)).name).toBe(
        thrownOne instanceof Error ? 'Error' : 'Object',
      );
      expect(verdictOn(...twice(recorded(thrownOne, small)))).not.toBe('error');
    }
  });

  it('are rebuilt when a recorded call throws again, and the error is the same', () => {
    const decoded = decodeThrown(recorded(openai(429, 'rate', 'r'))) as InstanceType<typeof OpenAI.APIError>;
    expect(decoded).toMatchObject({
      status: 429,
      type: 'rate',
      requestID: 'r',
      error: { type: 'rate' },
      name: 'Error',
    });
    expect([decoded instanceof Error, decoded.constructor.name]).toEqual([true, 'RateLimitError']);
    expect(decodeThrown(recorded({ status: 500, at: new Date(5) }))).toEqual({
      status: 500,
      at: new Date(5),
    });
    const failures = [
      openai(429, 'rate', 'r'),
      new TypeError('m'),
      new HttpException({ a: 1 }, 418),
      axios({ a: 1 }, 'r'),
      err({ at: new Date(5), limits: new Map([[1, 2n]]) }),
      new BamlValidationError('p', 'r', 'm', 'd'),
      { a: 1 },
      new AggregateError([err({ n: 1 })], 'm', { cause: new HttpError('m') }),
      circular(1),
      'text',
      null,
      new DOMException('stopped', 'AbortError'),
      [1, new Date(5)],
      new Map([[1, 2]]),
    ];
    for (const failure of failures) {
      const before = recorded(failure);
      expect([failure, verdictOn(before, recorded(decodeThrown(before)))]).toEqual([failure, 'same']);
    }
  });

  it('are different when they differ in one place, and equal when made alike', () => {
    fc.assert(
      fc.property(model, fc.nat(), (made, place) => {
        expect(verdictOn(recorded(makeError(made)), recorded(makeError(made)))).toBe('same');
        const altered = alter(made, place);
        expect(verdictOn(recorded(makeError(made)), recorded(makeError(altered)))).not.toBe('same');
        expect(returned(makeError(made), makeError(made))).toBe('same');
        expect(returned(makeError(made), makeError(altered))).not.toBe('same');
      }),
      { numRuns: 150 },
    );
  });
});

function twice<T>(value: T): [T, T] {
  return [value, value];
}

interface Model {
  readonly type: 'HttpError' | 'OtherError' | 'TypeError' | 'Error';
  readonly message: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly cause: Model | undefined;
}

const TYPES = { HttpError, OtherError, TypeError, Error };
const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.bigInt(), fc.date({ noInvalidDate: true }));
const value = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 4 }),
  fc.dictionary(fc.constantFrom('a', 'b', 'c d'), leaf),
);
const { model } = fc.letrec<{ model: Model }>((tie) => ({
  model: fc.record({
    type: fc.constantFrom('HttpError', 'OtherError', 'TypeError', 'Error'),
    message: fc.string(),
    properties: fc.dictionary(
      fc.constantFrom('status', 'issues', 'type', 'a/b~c', 'response', 'code', '0'),
      value,
    ),
    cause: fc.option(tie('model'), { nil: undefined, depthSize: 'small' }),
  }),
}));

function makeError({ type, message, properties, cause }: Model): Error {
  const error = new TYPES[type](message, cause && { cause: makeError(cause) });
  return Object.assign(error, properties);
}

/** The same but for one place: it is found by its number. */
function alter(made: Model, place: number): Model {
  const names = Object.keys(made.properties);
  const places = names.length + 3 + (made.cause === undefined ? 0 : 3);
  const at = place % places;
  const name = names[at];
  if (name !== undefined)
    return { ...made, properties: { ...made.properties, [name]: { was: made.properties[name] } } };
  switch (at - names.length) {
    case 0:
      return { ...made, message: `${made.message}!` };
    case 1:
      return { ...made, type: made.type === 'HttpError' ? 'OtherError' : 'HttpError' };
    case 2:
      return { ...made, properties: { ...made.properties, another: 1 } };
    default:
      return { ...made, cause: made.cause && alter(made.cause, Math.floor(place / places)) };
  }
}
