import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

describe('a replay of an application that is bundled into one minified file', () => {
  const cache = join(__dirname, '../../../.cache');
  let folder = '';
  beforeAll(async () => {
    await mkdir(cache, { recursive: true });
    folder = await mkdtemp(join(cache, 'minified-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('starts no schedule, listener, event handler or saga, and finds traced methods', async () => {
    const file = join(folder, 'application.mjs');
    await run(process.execPath, [join(__dirname, 'minified/bundle.mjs'), file]);
    const { stdout } = await run(process.execPath, [file]);
    expect(JSON.parse(stdout)).toEqual({
      ran: [],
      leftOut: ['events', 'events', 'sagas', 'schedules'],
      methods: ['reports.write'],
      isMinified: true,
    });
  });
});
