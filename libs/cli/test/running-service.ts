import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCollector } from '@dacapo/collector';
import { Service } from '../../collector/test/support/service.js';
import { run } from '../src/run.js';
import { CapturedIo } from './captured-io.js';
import { removeFolder } from '../../../test/support/remove-folder.js';

/** The command, run by who has a key of an account. */
export type Account = ReturnType<typeof accountAt>;
export type RunningService = Account & { close(): Promise<void> };

/** A service of a test's own, in a folder of its own. Starting one takes longer than most tests of it. */
export async function startService(): Promise<RunningService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dacapo-cli-'));
  const collector = await startCollector({ port: 0, dataDir });
  return {
    ...accountAt(collector.url, collector.apiKey ?? ''),
    close: async () => {
      await collector.close();
      await removeFolder(dataDir);
    },
  };
}

let shared: Promise<Service> | undefined;

/** An account of a test's own, with nothing in it, at the one service of the test file. */
export async function openAccount(): Promise<Account> {
  const service = await (shared ??= Service.start());
  const { apiKey } = await service.addTenant();
  return accountAt(service.url, apiKey);
}

afterAll(async () => (await shared)?.close());

function accountAt(url: string, apiKey: string) {
  const env = { TRACER_SERVICE_URL: url, TRACER_API_KEY: apiKey };
  /** Runs any command. */
  const runCommand = async (...argv: string[]) => {
    const io = new CapturedIo(env);
    const exitCode = await run(argv, io);
    return { exitCode, out: io.out, err: io.err };
  };
  return {
    url,
    apiKey,
    run: runCommand,
    /** Runs a command that must succeed; answers what `--json` printed. */
    json: async (...argv: string[]) => {
      const { exitCode, out, err } = await runCommand(...argv, '--json');
      if (exitCode !== 0) throw new Error(err);
      return JSON.parse(out);
    },
  };
}
