import { API } from '@dacapo/protocol/api';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { span } from './support/records.js';
import { Service, type Tenant } from './support/service.js';

let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await Service.start();
});

beforeEach(async () => {
  tenant = await service.addTenant();
});

afterAll(() => service.close());

/** A stream that has begun. */
async function watch(headers: Record<string, string>, query = ''): Promise<IncomingMessage> {
  const [response] = (await once(
    get(service.url + API.traces.watch.path + query, { headers }),
    'response',
  )) as [IncomingMessage];
  return response.setEncoding('utf8');
}

/** The next event of the stream. */
async function readEvent(stream: IncomingMessage): Promise<string> {
  for (;;) {
    const [text] = (await once(stream, 'data')) as [string];
    if (text.includes('event:')) return text.slice(text.indexOf('event:'));
  }
}

it('sends an event once a span is stored, which a proxy passes on at once', async () => {
  const stream = await watch({ 'api-key': tenant.apiKey });
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  const event = readEvent(stream);
  await tenant.store(span({}));
  expect(await event).toBe('event: change\ndata: {}\n\n');
  stream.destroy();
});

it('sends an account nothing of another one', async () => {
  const other = await service.addTenant();
  const [own, foreign] = [
    await watch({ 'api-key': tenant.apiKey }),
    await watch({ 'api-key': other.apiKey }, '?seconds=1'),
  ];
  const event = readEvent(own);
  await tenant.store(span({}));
  await event;
  own.destroy();
  let text = '';
  for await (const piece of foreign) text += String(piece);
  expect(text).not.toContain('change');
});

it('ends when its time is over, so that a session that has ended is refused', async () => {
  const cookie = await service.signIn(tenant.apiKey);
  const stream = await watch({ cookie }, '?seconds=0');
  expect(stream.statusCode).toBe(200);
  stream.resume();
  await once(stream, 'end');
  await service.anonymous
    .delete(API.browserSessions.signOut.path)
    .set({ cookie, origin: service.url })
    .expect(204);
  const refused = await watch({ cookie }, '?seconds=0');
  expect(refused.statusCode).toBe(401);
  refused.resume();
});

it('answers 429 to more streams than an account may have', async () => {
  const streams = [];
  for (let open = 0; open < 32; open += 1) streams.push(await watch({ 'api-key': tenant.apiKey }));
  const refused = await watch({ 'api-key': tenant.apiKey });
  expect(refused.statusCode).toBe(429);
  for (const stream of [...streams, refused]) stream.destroy();
});
