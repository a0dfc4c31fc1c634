import { type JsonValue, type SpanRecord } from '@dacapo/protocol';
import fc from 'fast-check';
import { join } from 'node:path';
import { span } from '../../../../../test/support/records.js';
import { temporaryDirectory } from '../../../../../test/support/temporary-directory.js';
import { SystemClock } from '../../../../clock.js';
import type { Storage } from '../../../storage.js';
import { Connection } from '../connection.js';
import { findDamage } from '../maintenance/check-database.js';
import { openSqliteStorage } from '../open-sqlite-storage.js';

const SYSTEM = `You answer customers. ${'Be brief and kind. '.repeat(60)}`;
const TOOLS = Array.from({ length: 6 }, (_, n) => ({
  type: 'function',
  name: `tool_${n}`,
  description: `Use it for ${'orders and parcels, '.repeat(20)}`,
  parameters: { type: 'object', properties: { id: { type: 'string', description: `Of ${n}.` } } },
}));

const message = (n: number) => ({
  role: n % 2 === 0 ? 'user' : 'assistant',
  content: `${n}: ${`What about order ${n}? `.repeat(20)}`,
});

/** The call of a model at a step of an agent: all that was said before, once more. */
function step(steps: number, fields: Partial<SpanRecord> = {}): SpanRecord {
  const messages = [
    { role: 'system', content: SYSTEM },
    ...Array.from({ length: steps }, (_, n) => message(n)),
  ];
  return span({
    span_data: {
      input: [{ model: 'm', messages, tools: TOOLS, seed: steps }],
      output: `answer ${steps}`,
      prompt: messages.map(({ role, content }) => `${role}:\n${content}`).join('\n\n'),
    },
    ...fields,
  });
}

const receivedAt = '2026-01-31T12:00:02.000000Z';
const deletion = {
  forgetAt: '2027-01-31T12:00:02.000000Z',
  mostSpans: 100,
};

describe('the large parts of payloads', () => {
  const dataDir = temporaryDirectory();
  let storage: Storage;
  let database: Connection;
  let account: string;
  let accounts = 0;

  beforeAll(async () => {
    storage = await openSqliteStorage(dataDir, new SystemClock());
    database = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: ['query_only = ON'] });
  });
  afterAll(async () => {
    await database.close();
    await storage.close();
  });
  beforeEach(() => {
    account = `acc_${++accounts}`;
  });

  const put = (...spans: SpanRecord[]) => storage.spans.ingest(account, { spans, traces: [], receivedAt });
  const read = async ({ trace_id, id }: SpanRecord): Promise<SpanRecord | undefined> =>
    (await storage.spans.readSpans(account, [{ trace_id, span_id: id }]))[0];
  const remove = (...spans: SpanRecord[]) =>
    storage.spans.deletions.deleteTraces(
      account,
      spans.map(({ trace_id }) => trace_id),
      deletion,
    );
  const readParts = async (owner = account): Promise<{ json: string; uses: number | null }[]> =>
    database.all(
      'SELECT json, uses FROM payload_parts LEFT JOIN payload_part_uses USING (part_no) WHERE account_id = ?',
      [owner],
    );
  const storedBytes = async (): Promise<number> => {
    const [row] = await database.all<{ bytes: number }>(
      `SELECT (SELECT coalesce(sum(length(json)), 0) FROM payload_parts WHERE account_id = ?1) + sum(length(
          coalesce(input, '') || coalesce(output, '') || coalesce(prompt, '') || coalesce(parts, ''))) AS bytes
        FROM spans JOIN span_payloads USING (span_no) WHERE account_id = ?1`,
      [account],
    );
    return row?.bytes ?? 0;
  };

  it('are stored once, however many steps of an agent repeat them', async () => {
    const steps = Array.from({ length: 10 }, (_, n) => step(2 * n + 1));
    await put(...steps.slice(0, 5));
    for (const one of steps.slice(5)) await put(one);
    for (const one of steps) expect(await read(one)).toEqual(one);
    const bytes = steps.reduce((sum, { span_data }) => sum + JSON.stringify(span_data).length, 0);
    expect(await storedBytes()).toBeLessThan(bytes / 4);
    const system = (await readParts()).filter(({ json }) => json.includes('You answer customers.'));
    // The first prompt is too short to be cut.
    expect(system.map(({ uses }) => uses)).toEqual([10, 9]);
  });

  it('go with the last payload that uses them', async () => {
    const [first, second] = [step(3), step(5)];
    await put(first, second);
    await remove(first);
    expect(await read(second)).toEqual(second);
    expect((await readParts()).every(({ uses }) => uses === 1)).toBe(true);
    await remove(second);
    expect(await readParts()).toEqual([]);
    const counted =
      'SELECT * FROM payload_part_uses WHERE part_no NOT IN (SELECT part_no FROM payload_parts)';
    expect(await database.all(counted)).toEqual([]);
  });

  it('are counted once for a span that is sent twice, and dropped with a record that is not stored', async () => {
    const stored = step(3);
    await put(stored, stored);
    await put(stored);
    const parts = await readParts();
    expect(parts.every(({ uses }) => uses === 1)).toBe(true);
    await put({ ...stored, span_data: { input: [`another ${'text '.repeat(600)}`] } });
    expect(await readParts()).toEqual(parts);
    expect(await read(stored)).toEqual(stored);
    await remove(stored);
    await put(stored);
    expect(await readParts()).toEqual([]);
  });

  it('replace those of an unfinished record, and are not searched in a record that may be merged', async () => {
    const finished = step(3);
    const unfinished: SpanRecord = { ...finished, status: 'unfinished' };
    await put(unfinished);
    expect(await readParts()).toEqual([]);
    await put(finished);
    await put(unfinished);
    expect(await read(finished)).toEqual(finished);
    expect((await readParts()).every(({ uses }) => uses === 1)).toBe(true);
    const begun: SpanRecord = { ...step(3), status: 'unfinished' };
    await put(begun);
    await put({ ...begun, status: 'ok', span_data: { output: 'answer 3', meta: { continues: true } } });
    expect((await read(begun))?.span_data).toEqual(begun.span_data);
  });

  it("are each account's own, and go with it", async () => {
    const shared = step(3);
    await put(shared);
    const [mine, other] = [await readParts(), account];
    account = `acc_${++accounts}`;
    await put(shared);
    expect(await readParts()).toEqual(mine);
    await storage.spans.deleteAccount(account);
    expect(await readParts()).toEqual([]);
    expect(await readParts(other)).toEqual(mine);
  });

  it('are returned byte for byte for any content', async () => {
    const marks = [
      '"',
      '\\',
      '\u0001',
      '\\u0001',
      '\n\nuser:\n',
      '},{',
      ':[{',
      ':"',
      '$&',
      '\ud800',
      '\udc00',
      'é',
      '😀',
      '\u2028',
    ];
    const text = fc
      .array(fc.oneof(fc.constantFrom(...marks), fc.string({ unit: 'binary' })), { maxLength: 6 })
      .chain((pieces) =>
        fc.integer({ min: 1, max: 700 }).map((times) => pieces.join('').repeat(times).slice(0, 4000)),
      );
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        text,
        fc.constantFrom(null, true, 0, -0, 1e21, 5e-324, 0.1),
        fc.array(tie('value'), { maxLength: 5 }),
        fc
          .array(fc.tuple(fc.oneof(fc.constantFrom('__proto__', 'b', '1', 'a'), text), tie('value')), {
            maxLength: 5,
          })
          .map(
            (entries) =>
              JSON.parse(
                `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${JSON.stringify(one)}`).join()}}`,
              ) as JsonValue,
          ),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 4 }), value, text, async (input, output, prompt) => {
        const stored = step(0, { span_data: { input, output, prompt, contexts: [{ output }] } });
        await put(stored);
        expect(JSON.stringify((await read(stored))?.span_data)).toBe(JSON.stringify(stored.span_data));
        await remove(stored);
        expect(await readParts()).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  describe('in a changed database', () => {
    let vandal: Connection;
    const change = (sql: string) => vandal.write([{ sql, rows: [[]] }]);
    const findings = (quick: boolean) => findDamage(join(dataDir, 'dacapo.db'), { quick });
    const TOO_OFTEN = 'uses of parts of payloads are counted 3 times too often';

    beforeAll(async () => {
      vandal = await Connection.open({ path: join(dataDir, 'dacapo.db'), pragmas: [] });
    });
    afterAll(() => vandal.close());

    it('are found when nothing uses them, or when they are counted wrong, by a whole check', async () => {
      const stored = step(3);
      await put(stored);
      expect(await findings(false)).toEqual([]);
      await change(
        'UPDATE payload_part_uses SET uses = uses + 3 WHERE part_no = (SELECT max(part_no) FROM payload_parts)',
      );
      expect(await findings(false)).toEqual([TOO_OFTEN]);
      await change(`INSERT INTO payload_parts(account_id, digest, json) VALUES ('${account}', 'd', '')`);
      expect(await findings(false)).toEqual(['1 parts of payloads are used by none']);
      expect(await findings(true)).toEqual([]);
    });

    it('are reported when they are missing, by every check and every read', async () => {
      const stored = step(3);
      await put(stored);
      await change(
        `DELETE FROM payload_parts WHERE account_id = '${account}' AND json LIKE '%answer customers%'`,
      );
      expect(await findings(true)).toEqual(['2 parts of payloads are missing']);
      await expect(read(stored)).rejects.toMatchObject({ code: 'COLLECTOR_DATABASE_DAMAGED' });
    });
  });
});
