import { parseErrorRecord } from '@dacapo/protocol';
import { runInNewContext } from 'node:vm';
import { Capturer } from './capturer.js';

const capturer = new Capturer();

function recorded(thrown: unknown): unknown {
  return JSON.parse(capturer.captureError(thrown));
}

describe('a recorded error', () => {
  it('has name, message, stack, code and its causes', () => {
    const error = Object.assign(new TypeError('bad', { cause: new Error('deep', { cause: 'text' }) }), {
      code: 'E_BAD',
    });
    expect(recorded(error)).toEqual({
      name: 'TypeError',
      message: 'bad',
      stack: expect.stringContaining('TypeError: bad'),
      code: 'E_BAD',
      properties: {},
      cause: {
        name: 'Error',
        message: 'deep',
        stack: expect.any(String),
        properties: {},
        cause: { name: 'string', message: 'text' },
      },
    });
  });

  it('keeps the errors of an AggregateError', () => {
    expect(recorded(new AggregateError([new Error('one'), 2], 'all'))).toMatchObject({
      name: 'AggregateError',
      errors: [
        { name: 'Error', message: 'one' },
        { name: 'number', message: '2' },
      ],
    });
  });

  it.each<[string, unknown, object]>([
    ['a text', 'boom', { name: 'string', message: 'boom' }],
    ['nothing', undefined, { name: 'undefined', message: 'undefined' }],
    ['a symbol', Symbol('s'), { name: 'symbol', message: 'Symbol(s)' }],
    ['an object', { status: 500 }, { name: 'Object', message: '{"status":500}' }],
    ['an object with a message', { message: 'm', code: 7 }, { name: 'Object', message: 'm', code: 7 }],
    ['an abort', new DOMException('stopped', 'AbortError'), { name: 'AbortError', message: 'stopped' }],
    [
      'an error of another realm',
      runInNewContext('new RangeError("far")'),
      { name: 'RangeError', message: 'far' },
    ],
  ])('is made of %s', (_, thrown, record) => {
    expect(recorded(thrown)).toMatchObject(record);
  });

  it.each<[string, unknown]>([
    [
      'throws when it is read',
      new Proxy(new Error('x'), {
        get() {
          throw new Error('no');
        },
      }),
    ],
    ['is its own cause', itsOwnCause()],
    ['has a message that is none', Object.assign(new Error(), { message: 1, name: {}, stack: 2, code: {} })],
    ['has a message of 10 MB', new Error('x'.repeat(10_000_000))],
    ['is a revoked Proxy', revoked()],
  ])('is valid when what was thrown %s', (_, thrown) => {
    const json = capturer.captureError(thrown);
    expect(() => parseErrorRecord('error', JSON.parse(json))).not.toThrow();
    expect(json.length).toBeLessThan(1024 * 1024);
  });

  it('is redacted like any value', () => {
    const json = capturer.captureError(new Error('401 for Bearer abcdef123456 at https://u:p@example.com'));
    expect(json).not.toMatch(/abcdef123456|u:p@/);
  });

  it.each([
    ['texts into numbers', { redact: (value: unknown) => (typeof value === 'string' ? 1 : value) }],
    ['objects into texts', { redact: (value: unknown, path: string) => (path === '' ? value : 'text') }],
    ['causes into tokens', { redactKeys: ['cause', 'errors'] }],
  ])('is valid when redaction makes %s', (_, options) => {
    const thrown = new AggregateError([new Error('a')], 'b', { cause: new Error('c') });
    const json = new Capturer(options).captureError(thrown);
    expect(() => parseErrorRecord('error', JSON.parse(json))).not.toThrow();
  });

  it('reveals nothing when the hook fails', () => {
    const failing = new Capturer({ redact: () => Promise.resolve('late') });
    expect(failing.captureError(new Error('secret'))).toBe('{"name":"Error","message":"[redacted]"}');
  });
});

function itsOwnCause(): Error {
  const error = new Error('x');
  error.cause = error;
  return error;
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
