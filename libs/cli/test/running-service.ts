import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCollector } from '@dacapo/collector';
import { run } from '../src/run.js';
import { CapturedIo } from './captured-io.js';
import { removeFolder } from '../../../test/support/remove-folder.js';

/** A collector of a test's own, on a port and in a folder of its own, and the command against it. */
export type RunningService = Awaited<ReturnType<typeof startService>>;

export async function startService() {
  const dataDir = await mkdtemp(join(tmpdir(), 'dacapo-cli-'));
  const collector = await startCollector({ port: 0, dataDir });
  const apiKey = collector.apiKey ?? '';
  const env = { TRACER_SERVICE_URL: collector.url, TRACER_API_KEY: apiKey };

  /** Runs any command. */
  const runCommand = async (...argv: string[]) => {
    const io = new CapturedIo(env);
    const exitCode = await run(argv, io);
    return { exitCode, out: io.out, err: io.err };
  };
  return {
    url: collector.url,
    apiKey,
    run: runCommand,
    /** Runs a command that must succeed; answers what `--json` printed. */
    json: async (...argv: string[]) => {
      const { exitCode, out, err } = await runCommand(...argv, '--json');
      if (exitCode !== 0) throw new Error(err);
      return JSON.parse(out);
    },
    close: async () => {
      await collector.close();
      await removeFolder(dataDir);
    },
  };
}
