import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './processes/program.js';
import { removeFolder } from './support/remove-folder.js';

/** Calls no provider, whatever the developer's environment contains. */
const ENV = { ...process.env, OPENAI_API_KEY: '', OPENAI_BASE_URL: '', OPENAI_MODEL: '' };

describe('npm start -- --once', () => {
  let dataDir: string;
  const start = () => {
    const args = [
      join(ROOT, 'scripts/start.mjs'),
      '--once',
      '--port',
      '0',
      '--app-port',
      '0',
      '--data-dir',
      dataDir,
    ];
    return promisify(execFile)(process.execPath, args, { env: ENV });
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'dacapo-start-'));
  });
  afterAll(() => removeFolder(dataDir));

  it('shows tickets, a trace, the indexes, a replay and the addresses, and exits with 0', async () => {
    const { stdout } = await start();
    expect(stdout).toMatch('12 tickets\n');
    expect(stdout).toMatch(/└─ handle-ticket +agent/);
    expect(stdout).toMatch(/├─ classify-ticket +llm/);
    expect(stdout).toMatch(/scrape_\d+ +OTHER +Lumen handbook/);
    expect(stdout).toMatch(
      'Replay of classify-ticket through ClassifierV2Service: passed\n  It passes the gate in sample-app/gate.json',
    );
    expect(stdout).toMatch('The category matches the label in 100 % of the calls, up from 75 %.');
    expect(stdout).toMatch(/12 calls: \d+ same, \d+ changed, 0 errors/);
    expect(stdout).toMatch(/Dashboard +http:\/\/127\.0\.0\.1:\d+\/sign-in\?token=/);
    expect(stdout).toMatch(/Test run +http:\/\/127\.0\.0\.1:\d+\/test-runs\//);
    expect(stdout).toMatch('stand-in that answers by rules');
  });

  it('stores the key for this user only, and creates a new one when it is lost', async () => {
    const keyPath = join(dataDir, 'sample-app.key');
    expect((await stat(keyPath)).mode & 0o777).toBe(0o600);
    await rm(keyPath);
    const { stdout } = await start();
    expect(stdout).toMatch('12 calls: ');
    expect((await stat(keyPath)).mode & 0o777).toBe(0o600);
  });

  it('reports an invalid option and what it accepts', async () => {
    const failed = promisify(execFile)(process.execPath, [join(ROOT, 'scripts/start.mjs'), '--port', 'door']);
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--port is "door".\n\nA port is a whole number from 0 to 65535.'),
    });
  });
});
