import { ProtocolError } from '@dacapo/protocol';
import type { ArgumentsHost } from '@nestjs/common';
import { StorageError } from '../errors.js';
import { MemoryBudget } from '../memory/memory-budget.js';
import { SystemClock } from '../clock.js';
import { openInMemoryStorage } from '../storage/engines/sqlite/open-in-memory-storage.js';
import type { Storage } from '../storage/storage.js';
import { ServiceMetrics } from '../telemetry/service-metrics.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import type { CollectorLogger, LogFields } from '../logger.js';
import { ErrorFilter } from './error.filter.js';

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: unknown;
  logged: string[];
}

/** @param filter one that has seen others; a new one unless given */
function answerTo(error: unknown, { filter, logged }: Seen = newFilter()): Answer {
  const answer: Answer = { status: 0, headers: {}, body: undefined, logged };
  const reply = {
    status: (status: number) => ((answer.status = status), reply),
    type: () => reply,
    hasHeader: (name: string) => name in answer.headers,
    header: (name: string, value: unknown) => ((answer.headers[name] = value), reply),
    send: (body: unknown) => ((answer.body = body), reply),
  };
  const request = {
    id: 'req-1',
    method: 'GET',
    url: '/traces/theirs?token=secret',
    routeOptions: { url: '/traces/:id' },
  };
  const host = { switchToHttp: () => ({ getResponse: () => reply, getRequest: () => request }) };
  filter.catch(error, host as unknown as ArgumentsHost);
  return answer;
}

interface Seen {
  filter: ErrorFilter;
  clock: ManualClock;
  logged: string[];
}

let storage: Storage;

beforeAll(async () => {
  storage = await openInMemoryStorage(new SystemClock());
});

afterAll(() => storage.close());

function newFilter(): Seen {
  const logged: string[] = [];
  const log = (message: string, fields?: LogFields) =>
    logged.push(fields === undefined ? message : `${message} ${JSON.stringify(fields)}`);
  const logger: Readonly<CollectorLogger> = { info: log, warn: log, error: log };
  const clock = new ManualClock();
  const metrics = new ServiceMetrics(new MemoryBudget(64 * 1024 * 1024), storage);
  return { filter: new ErrorFilter(logger, clock, metrics), clock, logged };
}

describe('ErrorFilter', () => {
  it('hides internal errors from the caller, and logs their place without their text', () => {
    const cause = Object.assign(new Error('hunter3'), { code: 'ECONNRESET' });
    const answer = answerTo(new TypeError('password is hunter2', { cause }));
    expect(answer).toMatchObject({
      status: 500,
      body: { detail: 'Internal server error', status_code: 500 },
    });
    expect(answer.logged).toEqual([expect.stringMatching(/^GET \/traces\/:id failed: TypeError \{/)]);
    expect(JSON.parse(answer.logged[0]?.replace(/^[^{]+/, '') ?? '')).toEqual({
      request_id: 'req-1',
      method: 'GET',
      route: '/traces/:id',
      status: 500,
      error: 'TypeError',
      cause: 'ECONNRESET',
      stack: expect.stringMatching(/^\s+at .*error\.filter\.spec\.ts/),
    });
    expect(answer.logged[0]).not.toMatch(/hunter|secret|theirs/);
  });

  it('asks callers to retry at different times when the storage fails', () => {
    const error = new StorageError('disk full');
    const delays = Array.from({ length: 200 }, () => answerTo(error).headers['retry-after']);
    expect(new Set(delays)).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(answerTo(error)).toMatchObject({
      status: 503,
      body: { detail: 'The service cannot reach its storage now', status_code: 503 },
    });
  });

  it('logs one line per cause and minute, with the number of rejections', () => {
    const seen = newFilter();
    const refuse = (problem: string) => answerTo(new StorageError(problem), seen);
    for (let times = 0; times < 3; times++) refuse('disk full');
    refuse('database is locked');
    seen.clock.advance(61);
    refuse('disk full');
    expect(seen.logged).toEqual([
      expect.stringMatching(/^GET \/traces\/:id refused: Storage failed: disk full\. .+$/),
      expect.stringContaining('database is locked'),
      expect.stringMatching(/disk full\. .+ \(2 more since the last report\) \{/),
    ]);
    expect(seen.logged.join('')).not.toContain('\n');
  });

  it('names the field of a record that is wrong', () => {
    expect(answerTo(new ProtocolError('limit', 'must be 1'))).toMatchObject({
      status: 400,
      body: { detail: 'limit must be 1', status_code: 400 },
      logged: [],
    });
  });

  it.each([null, undefined, 'text', { statusCode: 418 }])('handles a thrown %j', (thrown) => {
    expect(answerTo(thrown)).toMatchObject({ status: 500, body: { status_code: 500 } });
  });
});
