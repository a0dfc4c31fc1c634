import type { ErrorRecord, JsonValue } from '@dacapo/protocol';
import * as fc from 'fast-check';
import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCassette } from './read-cassette.js';
import { type PlacedCall, toCassetteCalls } from './to-cassette-calls.js';
import { toRecordedRoots } from './to-recorded-calls.js';
import { writeCassette } from './write-cassette.js';

const directory = mkdtempSync(join(tmpdir(), 'cassettes-'));
let files = 0;
const newFile = (): string => join(directory, `${files++}.ndjson`);

interface Shape {
  readonly key: string;
  readonly input: JsonValue[];
  readonly output: JsonValue | undefined;
  readonly isFailed: boolean;
  readonly inner: readonly Shape[];
}

/** Words without the shape of a secret. */
const word = fc.constantFrom('a', 'b', 'crm', 'späti', '日本', '__proto__', 'x y', '');
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, -0.5, 1e21),
    word,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('z', 'a', 'id', '10', '9'), tie('value'), { maxKeys: 4 }),
  ),
})).value;
const shape: fc.Arbitrary<Shape> = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.record({
    key: fc.constantFrom('desk', 'crm.find', 'mail', 'a b', 'model 2'),
    input: fc.array(value, { maxLength: 3 }),
    output: fc.option(value, { nil: undefined }),
    isFailed: fc.boolean(),
    inner: fc.oneof({ maxDepth: 4 }, fc.constant([]), fc.array(tie('shape'), { maxLength: 3 })),
  }),
})).shape;

/** Gives calls ids and times, all of which differ from run to run. */
function toPlacedCalls(shapes: readonly Shape[], salt: number): PlacedCall[] {
  let id = salt * 1000;
  let us = salt * 777;
  const timestamp = (): string =>
    new Date(Date.UTC(2026, 0, 1) + Math.floor((us += 7 + salt) / 1000))
      .toISOString()
      .replace('Z', `${String(us % 1000).padStart(3, '0')}Z`);
  const place = ({ key, input, output, isFailed, inner }: Shape, parent?: string): PlacedCall[] => {
    const span_id = (++id).toString(16).padStart(16, '0');
    const [started_at, startedUs] = [timestamp(), us];
    const below = inner.flatMap((one) => place(one, span_id));
    us += 5;
    const error: ErrorRecord = { name: 'Error', message: 'failed', stack: `at /home/${salt}` };
    const call: PlacedCall = {
      trace_id: `${salt}`,
      span_id,
      parent_id: parent,
      trace_function_key: key,
      name: key,
      type: 'function',
      status: isFailed ? 'error' : 'ok',
      started_at,
      duration_ms: (us - startedUs) / 1000,
      input,
      ...(isFailed ? { error } : output !== undefined && { output }),
      meta: { sync: true, stream: undefined } as never,
    };
    delete call.meta?.stream;
    return [call, ...below];
  };
  return shapes.flatMap((one) => place(one));
}

/** What a replay uses of recorded calls, as a tree. */
function toTrees(calls: readonly PlacedCall[], parent?: string): unknown[] {
  const ids = new Set(calls.map(({ span_id }) => span_id));
  return calls
    .filter(({ parent_id }) => (parent === undefined ? !ids.has(parent_id ?? '') : parent_id === parent))
    .map(({ trace_function_key: key, input, output, error, status, span_id }) => ({
      key,
      input: JSON.stringify(input),
      output: JSON.stringify(output),
      status,
      message: error?.message,
      inner: toTrees(calls, span_id),
    }));
}

describe('a cassette', () => {
  it('holds any recorded calls, in their order', () => {
    fc.assert(
      fc.property(fc.array(shape, { minLength: 1, maxLength: 3 }), (shapes) => {
        const calls = toPlacedCalls(shapes, 1);
        const file = newFile();
        writeCassette(file, { calls });
        const roots = toRecordedRoots(readCassette(file));
        const read = roots.flatMap(({ self, inner }) => [{ ...self, parent_id: undefined }, ...inner]);
        expect(toTrees(read)).toEqual(toTrees(calls));
      }),
      { numRuns: 100 },
    );
  });

  it('has the same bytes for the same calls with other ids, times and stacks', () => {
    fc.assert(
      fc.property(fc.array(shape, { minLength: 1, maxLength: 3 }), (shapes) => {
        const [one, other] = [newFile(), newFile()];
        writeCassette(one, { calls: toPlacedCalls(shapes, 1) });
        writeCassette(other, { calls: toPlacedCalls(shapes, 2) });
        expect(readFileSync(other, 'utf8')).toBe(readFileSync(one, 'utf8'));
        expect(writeCassette(one, { calls: toPlacedCalls(shapes, 3) })).toBe(false);
      }),
      { numRuns: 100 },
    );
  });

  it('stays as it is when concurrent calls end in another order', () => {
    const call = (key: string, id: number, startMs: number, durationMs: number): PlacedCall => ({
      trace_id: '1',
      span_id: `${id}`.padStart(16, '0'),
      trace_function_key: key,
      name: key,
      type: 'function',
      status: 'ok',
      started_at: `2026-01-01T00:00:00.${startMs}000Z`,
      duration_ms: durationMs,
      ...(id > 1 && { parent_id: '1'.padStart(16, '0') }),
    });
    const root = call('desk', 1, 100, 800);
    const file = newFile();
    writeCassette(file, { calls: [root, call('a', 2, 200, 100), call('b', 3, 210, 200)] });
    expect(writeCassette(file, { calls: [root, call('a', 2, 200, 300), call('b', 3, 210, 100)] })).toBe(
      false,
    );
    expect(writeCassette(file, { calls: [root, call('a', 2, 200, 300)] })).toBe(true);
  });

  it('is written when a process that was killed left its lock', () => {
    const file = newFile();
    writeFileSync(`${file}.lock`, '');
    utimesSync(`${file}.lock`, new Date(0), new Date(0));
    const calls = toPlacedCalls([{ key: 'desk', input: [], output: null, isFailed: false, inner: [] }], 1);
    expect(writeCassette(file, { calls })).toBe(true);
    expect(readdirSync(directory).filter((name) => !name.endsWith('.ndjson'))).toEqual([]);
  });

  it('sorts calls by path and occurrence, and the keys of a line', () => {
    const file = newFile();
    const inner = { key: 'a', input: [1], output: { z: 1, a: 2 }, isFailed: false, inner: [] };
    const calls = toPlacedCalls(
      [{ key: 'desk', input: [], output: 1, isFailed: false, inner: [{ ...inner, key: 'b' }, inner, inner] }],
      1,
    );
    writeCassette(file, { calls });
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(1);
    expect(lines.map((line) => /"n":(\d+).*"path":(\[.*?\])/.exec(line)?.slice(1))).toEqual([
      ['1', '["desk"]'],
      ['1', '["desk","a"]'],
      ['2', '["desk","a"]'],
      ['1', '["desk","b"]'],
    ]);
    for (const line of lines) {
      const keys = Object.keys(JSON.parse(line) as object);
      expect(keys).toEqual([...keys].sort());
    }
    // The order inside a value is part of it: JSON.stringify of a result may be a prompt.
    expect(lines[1]).toContain('"output":{"z":1,"a":2}');
  });

  it.each([
    ['a provider key', 'sk-proj-Zx81mQ2tLr7Vb3Nc9Kd4Hf6Jg5Ws0Ye'],
    [
      'a bearer token',
      'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
    ],
    ['an AWS key', 'AKIAIOSFODNN7EXAMPLE'],
  ])('never holds %s, wherever it is', (_, secret) => {
    const file = newFile();
    const [call] = toPlacedCalls([{ key: 'desk', input: [], output: null, isFailed: false, inner: [] }], 1);
    const error = { name: 'Error', message: `refused ${secret}`, cause: { name: 'E', message: secret } };
    const stream = {
      kind: 'generator',
      items: 1,
      returned: { text: secret },
      chunks: [secret],
      merged: true as const,
    };
    const calls = [
      { ...call!, input: [secret, { text: `use ${secret}` }], output: [secret], meta: { stream } },
      { ...call!, span_id: 'b'.repeat(16), status: 'error' as const, error, name: `call ${secret}` },
      { ...call!, span_id: 'c'.repeat(16), usage: { model: secret } },
    ];
    writeCassette(file, { calls });
    expect(readFileSync(file, 'utf8')).not.toContain(secret.replace('Bearer ', ''));
    expect(toCassetteCalls(calls)).toHaveLength(3);
  });

  it('gives a secret the same number wherever it is, whatever the salt', () => {
    const [call] = toPlacedCalls([{ key: 'desk', input: [], output: null, isFailed: false, inner: [] }], 1);
    const write = (token: string): string => {
      const file = newFile();
      writeCassette(file, {
        calls: [{ ...call!, input: [token, token], output: 'x [redacted:cccccccccccc]' }],
      });
      return readFileSync(file, 'utf8');
    };
    expect(write('[redacted:aaaaaaaaaaaa]')).toBe(write('[redacted:bbbbbbbbbbbb]'));
    expect(write('[redacted:aaaaaaaaaaaa]')).toContain(
      '["[redacted:000000000001]","[redacted:000000000001]"]',
    );
  });
});
