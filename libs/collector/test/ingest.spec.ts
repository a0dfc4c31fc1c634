import { HEADERS, LIMITS, newTraceId } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { ndjson, span, spansToNdjson } from './support/records.js';
import { runService, type Service, type Tenant } from './support/service.js';

let service: Service;
let tenant: Tenant;

runService((opened, account) => {
  service = opened;
  tenant = account;
});

const spanPath = ({ trace_id, id }: { trace_id: string; id: string }) =>
  `${API.traces.list.path}/${trace_id}/spans/${id}`;
const send = (body: Buffer, headers: Record<string, string> = {}) =>
  service.anonymous
    .post(API.ingest.send.path)
    .set({ 'api-key': tenant.apiKey, 'content-type': 'application/x-ndjson', ...headers })
    .serialize((raw: Buffer) => raw as unknown as string)
    .send(body);

describe('POST ingest', () => {
  it('stores the good lines and names the bad ones', async () => {
    const good = [span(), span()];
    const bad = { ...span(), started_at: 'yesterday' };
    const trace = { id: good[0]!.trace_id, session_id: 's-1' };
    const body = [
      JSON.stringify({ span: good[0] }),
      'not json',
      '',
      JSON.stringify({ span: bad }),
      JSON.stringify({ other: 1 }),
      JSON.stringify({ trace }),
      JSON.stringify({ span: good[1] }),
    ].join('\r\n');
    const answer = await tenant.ingest(body).expect(200);
    expect(answer.body).toEqual({
      accepted: 3,
      rejected: [
        { line: 2, detail: 'line 2: is not JSON' },
        { line: 4, id: bad.id, detail: expect.stringContaining('span.started_at must be an ISO 8601 time') },
        { line: 5, detail: expect.stringContaining('must have the key "span", "trace", "score" or "media"') },
      ],
    });
    for (const stored of good) expect((await tenant.get(spanPath(stored))).body).toEqual(stored);
    expect((await tenant.get(`${API.traces.list.path}/${trace.id}`)).body.session_id).toBe('s-1');
  });

  it.each([
    ['in one line', (json: string) => json],
    ['with blanks', (json: string) => json.replaceAll(/([{,:])"/g, '$1 "')],
    ['with each character escaped', (json: string) => json.replaceAll('é', '\\u00e9')],
    [
      'with a number too large for a double',
      (json: string) => json.replace('"input":[7,', '"input":[1e999,'),
    ],
    ['with a member twice', (json: string) => json.replace('"output":', '"output":"first","output":')],
  ])('reads what JSON.parse takes from a payload that is written %s', async (_, write) => {
    const sent = span({
      span_data: { input: [7, { 'a "b"': 'é\u2028 {' }], output: ['é', -0.5, null], prompt: 'é:' },
    });
    const line = write(JSON.stringify({ span: sent }));
    await tenant.ingest(line).expect(200);
    const parsed = JSON.parse(JSON.stringify(JSON.parse(line))) as { span: unknown };
    expect((await tenant.get(spanPath(sent))).body).toEqual(parsed.span);
  });

  it('derives a trace from its spans', async () => {
    const root = span({ session_id: 's-2', trace_metadata: { plan: 'pro' }, trace_contexts: { city: 'c' } });
    await tenant.ingest(spansToNdjson([root])).expect(200);
    const { body } = await tenant.get(`${API.traces.list.path}/${root.trace_id}`);
    expect(body).toMatchObject({ session_id: 's-2', metadata: { plan: 'pro' }, contexts: { city: 'c' } });
    expect((await tenant.get(`${API.traces.list.path}?session_id=s-2`)).body.items).toHaveLength(1);
  });

  it('applies patches of version 0.1, which have no time, in the order of arrival', async () => {
    const { trace_id: id, ...rest } = span();
    const patches = ['c', 'a', 'b'].map((session_id) => ({
      trace: { id, session_id, metadata: { session_id } },
    }));
    await tenant.ingest(ndjson([{ span: { trace_id: id, ...rest } }, ...patches])).expect(200);
    const known = async () => (await tenant.get(`${API.traces.list.path}/${id}`)).body as object;
    expect(await known()).toMatchObject({ session_id: 'b', metadata: { session_id: 'b' } });
    await tenant.ingest(ndjson([patches[1]!])).expect(200);
    expect(await known()).toMatchObject({ session_id: 'a', metadata: { session_id: 'a' } });
  });

  it('answers an empty body', async () => {
    const { body } = await tenant.ingest('').expect(200);
    expect(body).toEqual({ accepted: 0, rejected: [] });
  });

  it('stores a repeated batch once, and reports it', async () => {
    const stored = span();
    const headers = { [HEADERS.batchId]: 'batch-1' };
    await tenant.ingest(spansToNdjson([stored]), headers).expect(200);
    const { body } = await tenant.ingest(spansToNdjson([stored]), headers).expect(200);
    expect(body).toEqual({ accepted: 1, rejected: [], duplicate: true });
    expect((await tenant.get(`${API.traces.list.path}/${stored.trace_id}`)).body.span_count).toBe(1);
  });

  it('stores a batch once when two requests bring it at once', async () => {
    const stored = span();
    const headers = { [HEADERS.batchId]: 'batch-2' };
    const answers = await Promise.all([1, 2, 3].map(() => tenant.ingest(spansToNdjson([stored]), headers)));
    expect(answers.map(({ body }) => body.duplicate === true).sort()).toEqual([false, true, true]);
  });

  it.each(['', 'a b', 'x'.repeat(129), 'é'])('refuses the batch id %j', async (batchId) => {
    const { body } = await tenant.ingest('', { [HEADERS.batchId]: batchId }).expect(400);
    expect(body).toEqual({ detail: expect.stringContaining('dacapo-batch-id must be'), status_code: 400 });
  });

  it('keeps __proto__ and constructor keys as data', async () => {
    const { trace_id, id, ...rest } = span();
    const line = `{"span":{"trace_id":"${trace_id}","id":"${id}",${JSON.stringify({ ...rest, span_data: {} }).slice(1, -3)}{"input":[{"__proto__":{"admin":true},"constructor":{"prototype":1}}]}}}`;
    await tenant.ingest(line).expect(200);
    const answer = await tenant.get(spanPath({ trace_id, id }));
    expect(answer.text).toContain('{"__proto__":{"admin":true},"constructor":{"prototype":1}}');
    expect({}).not.toHaveProperty('admin');
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('takes a body in %s', async (encoding, compress) => {
    const stored = span();
    const { body } = await send(compress(spansToNdjson([stored])), { 'content-encoding': encoding }).expect(
      200,
    );
    expect(body.accepted).toBe(1);
    expect((await tenant.get(spanPath(stored))).body).toEqual(stored);
  });

  it('serves twenty clients at once, and loses nothing', async () => {
    const batches = Array.from({ length: 20 }, () => Array.from({ length: 25 }, () => span()));
    await Promise.all(
      batches.map(async (spans) => {
        for (let start = 0; start < spans.length; start += 5)
          await tenant.store(...spans.slice(start, start + 5));
      }),
    );
    const found = await Promise.all(batches.flat().map((stored) => tenant.get(spanPath(stored))));
    expect(found.map(({ body }) => body)).toEqual(batches.flat());
  });
});

describe('what ingest rejects', () => {
  it('a body that decompresses beyond the limit, before it is in memory', async () => {
    const bomb = gzipSync(Buffer.alloc(LIMITS.bodyBytes * 10, ' '));
    expect(bomb.length).toBeLessThan(LIMITS.bodyBytes / 50);
    const { body } = await send(bomb, { 'content-encoding': 'gzip' }).expect(413);
    expect(body).toEqual({ detail: `The body has more than ${LIMITS.bodyBytes} bytes`, status_code: 413 });
    await tenant.store(span());
  });

  it('a body that is too long', async () => {
    const { body } = await send(Buffer.alloc(LIMITS.bodyBytes + 1, ' ')).expect(413);
    expect(body).toEqual({ detail: `The body has more than ${LIMITS.bodyBytes} bytes`, status_code: 413 });
  });

  it('a body with too many lines', async () => {
    const { body } = await tenant.ingest('x\n'.repeat(LIMITS.bodyLines + 1)).expect(413);
    expect(body).toEqual({ detail: expect.stringContaining('more than 10000 lines'), status_code: 413 });
  });

  it('a body with too many distinct names in its traces, whose halves are accepted', async () => {
    const metadata = Object.fromEntries(Array.from({ length: LIMITS.traceAttributes }, (_, at) => [at, at]));
    const most = LIMITS.bodyAttributes / LIMITS.traceAttributes;
    const lines = Array.from({ length: most + 1 }, (_, at) =>
      at % 2 === 0 ? { trace: { id: newTraceId(), metadata } } : { span: span({ trace_metadata: metadata }) },
    );
    const { body } = await tenant.ingest(ndjson(lines)).expect(413);
    expect(body.detail).toContain('more than 20000 attributes of traces. Send it in smaller batches.');
    await tenant.ingest(ndjson(lines.slice(0, most))).expect(200);
  });

  it('a line that is too long, and no other line', async () => {
    const stored = span();
    const long = JSON.stringify({ span: span({ span_data: { output: 'x'.repeat(LIMITS.lineBytes) } }) });
    const { body } = await tenant.ingest(`${long}\n${spansToNdjson([stored])}`).expect(200);
    expect(body.accepted).toBe(1);
    expect(body.rejected).toEqual([{ line: 1, detail: `line 1: has more than ${LIMITS.lineBytes} bytes` }]);
  });

  it('a line that nests too deep, without parsing it', async () => {
    const deep = `{"span":{"span_data":{"input":[${'['.repeat(2e6)}${']'.repeat(2e6)}]}}}`;
    const { body } = await tenant.ingest(`${deep}\n${spansToNdjson([span()])}`).expect(200);
    expect(body).toEqual({
      accepted: 1,
      rejected: [{ line: 1, detail: `line 1: nests deeper than ${LIMITS.jsonDepth}` }],
    });
  });

  it.each([
    ['is cut off', () => gzipSync('x'.repeat(1000)).subarray(0, 20), 'gzip'],
    ['is no gzip', () => Buffer.from('plain'), 'gzip'],
    ['is no brotli', () => Buffer.from('plain text, not brotli'), 'br'],
  ])('a compressed body that %s', async (_, body, encoding) => {
    const answer = await send(body(), { 'content-encoding': encoding }).expect(400);
    expect(answer.body).toEqual({
      detail: expect.stringContaining('The body cannot be read'),
      status_code: 400,
    });
  });

  it.each(['deflate', 'gzip, gzip', 'compress'])('the encoding %s', async (encoding) => {
    const answer = await send(Buffer.from('x'), { 'content-encoding': encoding }).expect(415);
    expect(answer.body).toEqual({
      detail: expect.stringMatching(/^Content-Encoding must be identity, gzip(, zstd)? or br$/) as string,
      status_code: 415,
    });
  });

  it('a caller without a key, before it reads the body', async () => {
    const bomb = gzipSync(Buffer.alloc(LIMITS.bodyBytes * 10, ' '));
    const { body } = await send(bomb, { 'content-encoding': 'gzip', 'api-key': '' }).expect(401);
    expect(body).toEqual({ detail: 'API key missing', status_code: 401 });
  });
});

describe('a trace', () => {
  it('of ten nested and parallel spans arrives whole, parents right, in any order of arrival', async () => {
    const trace_id = newTraceId();
    const root = span({ trace_id });
    const branches = Array.from({ length: 3 }, () => span({ trace_id, parent_id: root.id }));
    const leaves = branches.flatMap(({ id }) => [
      span({ trace_id, parent_id: id }),
      span({ trace_id, parent_id: id }),
    ]);
    const all = [root, ...branches, ...leaves];
    await tenant.ingest(ndjson(all.toReversed().map((one) => ({ span: one })))).expect(200);
    const { body } = await tenant.get(`${API.traces.list.path}/${trace_id}`).expect(200);
    expect(body.span_count).toBe(10);
    const parents = new Map(
      body.spans.map((one: { id: string; parent_id?: string }) => [one.id, one.parent_id]),
    );
    expect(parents).toEqual(new Map(all.map(({ id, parent_id }) => [id, parent_id])));
  });
});
