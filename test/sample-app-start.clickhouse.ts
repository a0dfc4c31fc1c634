import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ClickHouseServer } from '../libs/collector/test/support/clickhouse-server.js';
import { PostgresServer } from '../libs/collector/test/support/postgres-server.js';
import { ROOT } from './processes/program.js';
import { removeFolder } from './support/remove-folder.js';

/** Each start builds what is missing, and runs three programs. */
const TIMEOUT_MS = 600_000;

let postgres: PostgresServer;
let clickhouse: ClickHouseServer;
let dataDir: string;

beforeAll(async () => {
  [postgres, clickhouse] = await Promise.all([PostgresServer.start(), ClickHouseServer.start()]);
  dataDir = await mkdtemp(join(tmpdir(), 'dacapo-start-'));
});

afterAll(async () => {
  await postgres.stop();
  await clickhouse.stop();
  await removeFolder(dataDir);
});

it(
  'npm start records and replays tickets on PostgreSQL with spans on ClickHouse, twice',
  async () => {
    const options = [
      '--once',
      '--port',
      '0',
      '--app-port',
      '0',
      '--data-dir',
      join(dataDir, 'data'),
      '--storage',
      await postgres.createDatabase(),
      '--spans',
      await clickhouse.createDatabase(),
    ];
    // Calls no provider, whatever the developer's environment contains.
    const env = { ...process.env, OPENAI_API_KEY: '', OPENAI_BASE_URL: '', OPENAI_MODEL: '' };
    for (let start = 0; start < 2; start++) {
      const program = join(ROOT, 'scripts/start.mjs');
      const { stdout } = await promisify(execFile)(process.execPath, [program, ...options], { env });
      expect(stdout).toMatch('12 tickets\n');
      expect(stdout).toMatch(/├─ classify-ticket +llm/);
      expect(stdout).toMatch('Replay of classify-ticket through ClassifierV2Service: passed\n');
      expect(stdout).toMatch(/12 calls: \d+ same, \d+ changed, 0 errors/);
    }
  },
  TIMEOUT_MS,
);
