import { startCollector } from '@dacapo/collector';
import { Tracer } from '@dacapo/tracer';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './support/remove-folder.js';

const SESSION = '01890a5d-ac96-774b-bcce-b302099a8057';
const OTHER = '9b2f0c4e-1d3a-4b5c-8e7f-0a1b2c3d4e5f';
const COOKIE = '31d4d96e407aad42aa';

interface Request {
  readonly sessionId: string;
  readonly user_session_id: string;
  readonly sessionID: string;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
}

const REQUEST: Request = {
  sessionId: SESSION,
  user_session_id: OTHER,
  sessionID: SESSION,
  token: OTHER,
  headers: { 'x-session-id': OTHER, cookie: `sid=${COOKIE}`, 'session-id': COOKIE },
};

describe('a call whose arguments name a session, from the tracer through a real collector and back', () => {
  let folder: string;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let tracer: Tracer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-session-'));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
    tracer = new Tracer({ apiKey: collector.apiKey!, serviceUrl: collector.url });
    const find = tracer.withSpan('session.find', (request: Request) => {
      tracer.getCurrentTrace().setSessionId(request.sessionId);
      return `found ${request.sessionId}`;
    });
    find(REQUEST);
    await tracer.flush();
  });

  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    await removeFolder(folder);
  });

  it('is replayed with the ids of sessions that are UUIDs, and is the same', async () => {
    const seen: Request[] = [];
    const run = await tracer.replay('session.find', (request: Request) => {
      seen.push(request);
      return `found ${request.sessionId}`;
    });
    expect(run.items.map(({ verdict }) => verdict)).toEqual(['same']);
    expect(seen).toMatchObject([
      { sessionId: SESSION, user_session_id: OTHER, sessionID: SESSION, headers: { 'x-session-id': OTHER } },
    ]);
  });

  it('has tokens in place of what else is under such names', async () => {
    const seen: Request[] = [];
    await tracer.replay('session.find', (request: Request) => seen.push(request));
    expect(seen[0]?.token).toMatch(/^\[redacted:[0-9a-f]+\]$/);
    expect(seen[0]?.headers['session-id']).toMatch(/^\[redacted:[0-9a-f]+\]$/);
    expect(JSON.stringify(seen)).not.toContain(COOKIE);
  });

  it('is found by the id of its session', async () => {
    const response = await fetch(`${collector.url}/api/v1/traces?session_id=${SESSION}`, {
      headers: { 'api-key': collector.apiKey! },
    });
    const { items } = (await response.json()) as { items: { session_id: string }[] };
    expect(items).toMatchObject([{ session_id: SESSION }]);
  });
});
