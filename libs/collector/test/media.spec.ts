import { formatTimestamp, newTraceId } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { createHash, randomBytes } from 'node:crypto';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import { RetentionService } from '../src/deletions/retention-service.js';
import { STORAGE, type Storage } from '../src/storage/storage.js';
import { ManualClock } from './support/manual-clock.js';
import { span } from './support/records.js';
import { Service, type Tenant } from './support/service.js';

interface Sent {
  readonly id: string;
  readonly bytes: Buffer;
  /** A line of an ingest body. */
  line(traceId: string, withBytes?: boolean): string;
}

function makeMedia(bytes: Buffer, type = 'image/png'): Sent {
  const id = createHash('sha256').update(bytes).digest('hex');
  return {
    id,
    bytes,
    line: (traceId, withBytes = true) =>
      `${JSON.stringify({
        media: {
          id,
          trace_id: traceId,
          type,
          size: bytes.length,
          ...(withBytes && { data: bytes.toString('base64') }),
        },
      })}\n`,
  };
}

const makeSpanLine = (traceId: string): string =>
  `${JSON.stringify({ span: span({ trace_id: traceId }) })}\n`;

describe('media', () => {
  const clock = new ManualClock();
  let service: Service;
  let tenant: Tenant;

  beforeAll(async () => {
    service = await Service.start({ mediaBytes: 100_000, clock });
  });
  beforeEach(async () => {
    tenant = await service.addTenant();
  });
  afterAll(() => service.close());

  const read = (id: string, by = tenant) => by.get(routePath(API.media.get, { id }));
  const erase = async (traceIds: string[]): Promise<void> => {
    await tenant.post(API.deletions.create.path, { trace_ids: traceIds }).expect(201);
    await service.app.get(DeletionRunner).idle();
  };

  it('are returned as they were sent, to their account only', async () => {
    const media = makeMedia(randomBytes(20_000));
    const trace = newTraceId();
    await tenant.ingest(media.line(trace) + makeSpanLine(trace)).expect(200, { accepted: 2, rejected: [] });
    const { body, headers } = await read(media.id).expect(200);
    expect(media.bytes.equals(body as Buffer)).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline',
    });
    await read(media.id, await service.addTenant()).expect(404);
    await service.anonymous.get(routePath(API.media.get, { id: media.id })).expect(401);
  });

  it.each(['image/svg+xml', 'text/html', 'application/xhtml+xml', 'application/pdf', 'text/javascript'])(
    'of type %s are a download of no type',
    async (type) => {
      const media = makeMedia(Buffer.from(`<script>alert(${Math.random()})</script>`), type);
      await tenant.ingest(media.line(newTraceId())).expect(200, { accepted: 1, rejected: [] });
      const { headers } = await read(media.id).expect(200);
      expect(headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-security-policy': expect.stringContaining('sandbox'),
        'content-disposition': expect.stringContaining('attachment'),
      });
    },
  );

  it('are rejected when their hash does not match', async () => {
    const media = makeMedia(randomBytes(100));
    const { id } = makeMedia(randomBytes(100));
    const { body } = await tenant.ingest(media.line(newTraceId()).replace(media.id, id)).expect(200);
    expect(body).toEqual({
      accepted: 0,
      rejected: [{ line: 1, id, detail: 'line 1: media.id is not the SHA-256 of media.data' }],
    });
    await read(id).expect(404);
  });

  it('without bytes are accepted while these are stored, and rejected by name otherwise', async () => {
    const media = makeMedia(randomBytes(5000));
    const { body } = await tenant.ingest(media.line(newTraceId(), false)).expect(200);
    expect(body.rejected).toMatchObject([{ line: 1, id: media.id }]);
    await tenant.ingest(media.line(newTraceId())).expect(200);
    await tenant.ingest(media.line(newTraceId(), false)).expect(200, { accepted: 1, rejected: [] });
  });

  it('beyond the limit of the account keep type and size, until there is room', async () => {
    const [first, second] = [makeMedia(randomBytes(80_000)), makeMedia(randomBytes(30_000))];
    const [one, other] = [newTraceId(), newTraceId()];
    await tenant.ingest(first.line(one) + makeSpanLine(one)).expect(200, { accepted: 2, rejected: [] });
    const { body } = await tenant.ingest(second.line(other) + makeSpanLine(other)).expect(200);
    expect(body).toMatchObject({ accepted: 1, rejected: [{ id: second.id }] });
    expect((await read(second.id).expect(404)).body.detail).toContain('reached its limit');
    await erase([one]);
    await tenant.ingest(second.line(other)).expect(200, { accepted: 1, rejected: [] });
    await read(second.id).expect(200);
  });

  it('are deleted with the last trace that refers to them', async () => {
    const media = makeMedia(randomBytes(5000));
    const [one, other] = [newTraceId(), newTraceId()];
    await tenant.ingest(media.line(one) + makeSpanLine(one)).expect(200);
    await tenant.ingest(media.line(other, false) + makeSpanLine(other)).expect(200);
    await erase([one]);
    await read(media.id).expect(200);
    await erase([other]);
    await read(media.id).expect(404);
  });

  it('stay as long as an item of a dataset that was copied from the trace', async () => {
    const media = makeMedia(randomBytes(5000));
    const own = span({
      span_data: {
        input: ['head…'],
        meta: {
          input: {
            truncated: {
              '/0': { bytes: 5000, kept: 4, media: { id: media.id, type: 'image/png', size: 5000 } },
            },
          },
        },
      },
    });
    await tenant.ingest(media.line(own.trace_id)).expect(200);
    await tenant.store(own);
    await tenant.post(API.datasets.create.path, { name: 'd' }).expect(201);
    const from_calls = {
      trace_function_key: own.trace_function_key,
      selection: { trace_ids: [own.trace_id] },
    };
    await tenant.post(routePath(API.datasets.addVersion, { name: 'd' }), { from_calls }).expect(200);
    await tenant
      .post(API.deletions.create.path, { trace_ids: [own.trace_id], keep_copies: true })
      .expect(201);
    await service.app.get(DeletionRunner).idle();
    await read(media.id).expect(200);
    await tenant.delete(routePath(API.datasets.delete, { name: 'd' })).expect(204);
    await service.app.get(RetentionService).apply();
    await read(media.id).expect(404);
  });

  it('are deleted with the traces that a rule of retention deletes', async () => {
    const media = makeMedia(randomBytes(5000));
    const started_at = formatTimestamp(clock.nowUs() - 31 * 24 * 3600e6);
    const own = span({ started_at, ended_at: started_at });
    await tenant.ingest(media.line(own.trace_id)).expect(200);
    await tenant.store(own);
    await tenant.post(API.retention.set.path, { days: 32 }).expect(200);
    await service.app.get(RetentionService).apply();
    await service.app.get(DeletionRunner).idle();
    await read(media.id).expect(200);
    await tenant.post(API.retention.set.path, { days: 30 }).expect(200);
    await service.app.get(RetentionService).apply();
    await service.app.get(DeletionRunner).idle();
    await read(media.id).expect(404);
  });

  it('are deleted when their trace does not arrive within a day', async () => {
    const media = makeMedia(randomBytes(5000));
    await tenant.ingest(media.line(newTraceId())).expect(200);
    await service.app.get(RetentionService).apply();
    await read(media.id).expect(200);
    clock.advance(25 * 3600);
    await service.app.get(RetentionService).apply();
    await read(media.id).expect(404);
  });

  it('are part of an export, which another account can import', async () => {
    const media = makeMedia(randomBytes(20_000));
    const [one, other] = [newTraceId(), newTraceId()];
    await tenant
      .ingest(media.line(one) + makeSpanLine(one) + media.line(other) + makeSpanLine(other))
      .expect(200);
    const exported = await fetch(service.url + API.traces.export.path, {
      headers: { 'api-key': tenant.apiKey },
    });
    const text = await exported.text();
    const importing = await service.addTenant();
    const { body } = await importing.ingest(text).expect(200);
    expect(body.rejected).toEqual([]);
    const { body: bytes } = await read(media.id, importing).expect(200);
    expect(media.bytes.equals(bytes as Buffer)).toBe(true);
  });

  it('are counted in the figures of the storage', async () => {
    const { measure } = service.app.get<Storage>(STORAGE);
    if (measure === undefined) return;
    const before = (await measure()).mediaBytes;
    await tenant.ingest(makeMedia(randomBytes(7000)).line(newTraceId())).expect(200);
    expect((await measure()).mediaBytes).toBe(before + 7000);
  });
});
