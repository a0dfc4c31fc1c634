import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../src/run.js';
import { CapturedIo } from './captured-io.js';
import { removeFolder } from '../../../test/support/remove-folder.js';

describe('dacapo serve', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'dacapo-serve-'));
  });
  afterEach(() => removeFolder(dataDir));

  /** Serves until `use` is done with what was printed; answers it with the exit code. */
  async function serve(
    argv: string[],
    use?: (out: string) => Promise<void>,
    isTTY = false,
  ): Promise<{ out: string; exitCode: number }> {
    const io = new CapturedIo({}, isTTY);
    const ready = io.nextOutput();
    const ended = run(['serve', '--port', '0', '--data-dir', dataDir, ...argv], io);
    await Promise.race([ready, ended]);
    try {
      await use?.(io.out);
    } finally {
      io.stop();
    }
    return { exitCode: await ended, out: io.out };
  }

  it('prints one line of JSON when it is ready, and answers from then on', async () => {
    const { out, exitCode } = await serve(['--json'], async (line) => {
      const { url } = JSON.parse(line);
      expect((await fetch(`${url as string}/health/ready`)).status).toBe(200);
    });
    expect(exitCode).toBe(0);
    expect(out.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(out)).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      apiKey: expect.any(String),
      dashboardUrl: expect.stringContaining('/sign-in?token='),
    });
  });

  it('serves metrics to Prometheus and logs as configured', async () => {
    const logged = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const argv = ['--json', '--metrics-port', '0', '--log-format', 'json', '--log-level', 'info'];
      await serve(argv, async (line) => {
        const { url, metricsUrl } = JSON.parse(line) as { url: string; metricsUrl: string };
        expect(new URL(metricsUrl).port).not.toBe(new URL(url).port);
        await (await fetch(`${url}/api/v1/account`, { headers: { 'x-request-id': 'asked' } })).text();
        expect(await (await fetch(metricsUrl)).text()).toContain('\ndacapo_storage_ready 1\n');
      });
      const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)) as object);
      expect(lines).toEqual([expect.objectContaining({ request_id: 'asked', level: 'info', status: 401 })]);
    } finally {
      logged.mockRestore();
    }
  });

  it('shows the API key on the first start, and never again', async () => {
    const first = await serve([]);
    const second = await serve([]);
    expect(first.out).toMatch(/API key {4}dcp_\w+/);
    expect(first.out).toContain('Store it: it is shown only once.');
    expect(second.out).not.toContain('dcp_');
    expect(second.out).toContain('Create more on the dashboard, under API keys');
  });

  it('prints lines to paste for bash, PowerShell and .env, with the key and the address', async () => {
    const { out } = await serve([]);
    const [, key = ''] = /API key {4}(\S+)/.exec(out) ?? [];
    const [, url = ''] = /ready at (\S+)/.exec(out) ?? [];
    expect(out).toContain(`  bash, zsh  export TRACER_API_KEY=${key} TRACER_SERVICE_URL=${url}\n`);
    expect(out).toContain(`  PowerShell $env:TRACER_API_KEY='${key}'; $env:TRACER_SERVICE_URL='${url}'\n`);
    expect(out).toContain(`  .env       TRACER_API_KEY=${key}\n             TRACER_SERVICE_URL=${url}\n`);
  });

  it('prints the addresses of the dashboard and the data', async () => {
    const { out } = await serve([]);
    expect(out).toMatch(/^Dacapo is ready at http:\/\/127\.0\.0\.1:\d+\n/);
    expect(out).toMatch(/Dashboard {2}http:\/\/.+\/sign-in\?token=/);
    expect(out).toContain(`Data       ${dataDir}`);
  });

  it('prints no link that signs in into the log of a later start', async () => {
    await serve([]);
    const logged = await serve([]);
    expect(logged.out).toMatch(/Dashboard {2}http:\/\/127\.0\.0\.1:\d+\/\n/);
    expect(logged.out).not.toContain('token');
    const shown = await serve([], undefined, true);
    expect(shown.out).toMatch(/Dashboard {2}http:\/\/.+\/sign-in\?token=/);
  });

  it('prints the cure when the port is in use', async () => {
    await serve(['--json'], async (line) => {
      const { port } = new URL(JSON.parse(line).url);
      const io = new CapturedIo();
      expect(await run(['serve', '--port', port, '--data-dir', join(dataDir, 'other')], io)).toBe(1);
      expect(io.err).toContain('[COLLECTOR_PORT_IN_USE]');
      expect(io.err).not.toContain('    at ');
    });
  });
});
