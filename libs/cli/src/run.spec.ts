import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CapturedIo } from '../test/captured-io.js';
import { run } from './run.js';

describe('A wrong command line', () => {
  it.each([
    [['frobnicate'], "Unknown command 'frobnicate'. See `dacapo --help`. [CLI_USAGE]\n"],
    [['srve'], "Unknown command 'srve'. Did you mean serve? See `dacapo --help`. [CLI_USAGE]\n"],
    [['serve', '--port', '70000'], 'Pass a whole number from 0 to 65535.'],
    [['indexes', 'add', '.', '--type', 'BOOK'], 'Pass one of SDK, CLI, API, OTHER.'],
    [['indexes', 'search', 'scrape_1', 'q', '--limit', '0'], 'Pass a whole number from 1 to 50.'],
    [['indexes', 'remove'], "Missing required argument 'index'. See `dacapo indexes remove --help`."],
    [['keys', 'creat'], "Unknown command 'creat'. Did you mean create? See `dacapo keys --help`."],
    [['delete', '--sesion', 'a'], 'Did you mean --session? See `dacapo delete --help`.'],
    [['runs', 'accept', 'a', '--api-key', 'k'], 'See `dacapo runs accept --help`.'],
    [['indexes', 'list'], 'No API key. Set TRACER_API_KEY or pass --api-key'],
    [['indexes', 'list', '--url', 'here'], '"here" is not the address of a service'],
  ])('%j exits with 2 and says what to do', async (argv, message) => {
    const io = new CapturedIo();
    expect(await run(argv, io)).toBe(2);
    expect(io.err).toContain(message);
    expect(io.out).toBe('');
  });

  it('prints one JSON line with --json', async () => {
    const io = new CapturedIo();
    expect(await run(['indexes', 'list', '--json'], io)).toBe(2);
    expect(JSON.parse(io.err)).toEqual({
      error: { code: 'CLI_API_KEY_MISSING', message: expect.stringContaining('No API key.') },
    });
  });

  it('prints the subcommands when called without one', async () => {
    const io = new CapturedIo();
    expect(await run(['indexes'], io)).toBe(2);
    expect(io.err).toContain('search [options] <index> <query...>');
  });
});

describe('Help', () => {
  it('names every command and the exit codes', async () => {
    const io = new CapturedIo();
    expect(await run(['--help'], io)).toBe(0);
    for (const text of ['serve', 'indexes', 'keys', 'doctor', 'Exit codes:']) expect(io.out).toContain(text);
    const [, commands = ''] = /^Commands:\n([^]*?)\n\n/m.exec(io.out) ?? [];
    const names = [...commands.matchAll(/^ {2}([\w-]+)/gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(20);
    for (const name of names.filter((one) => one !== 'help')) {
      const own = new CapturedIo();
      expect([name, await run([name, '--help'], own)]).toEqual([name, 0]);
      expect(own.out.startsWith(`Usage: dacapo ${name} `)).toBe(true);
    }
  });
});

describe('The help of each command', () => {
  it('describes each argument, and prints defaults with their unit', async () => {
    const help = async (...command: string[]): Promise<string> => {
      const io = new CapturedIo();
      await run([...command, '--help'], io);
      return io.out.replaceAll(/\s+/g, ' ');
    };
    expect(await help('keys', 'rotate')).toContain('0m to 30d (default: 24h)');
    expect(await help('members', 'invite')).toContain('up to 30d (default: 7d)');
    expect(await help('runs', 'accept')).toContain('run the test run: its id, which a replay prints');
    expect(await help('indexes', 'search')).toContain('query the words to search for');
  });
});

describe('A service that does not answer as expected', () => {
  const connect = (url: string): string[] => ['indexes', 'list', '--url', url, '--api-key', 'k'];

  it('makes the command exit with 3 when nothing listens', async () => {
    const io = new CapturedIo();
    expect(await run(connect('http://127.0.0.1:9'), io)).toBe(3);
    expect(io.err).toMatch(
      /^No answer from http:\/\/127.0.0.1:9 \(.+\). Start the service with `dacapo serve`/,
    );
    expect(io.err).toContain('[CLI_SERVICE_UNREACHABLE]');
  });

  it('is reported as an http server when the address is https', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const io = new CapturedIo();
    expect(await run(connect(`https://127.0.0.1:${port}`), io)).toBe(3);
    expect(io.err).toContain(`The server there does not support https. Write http://127.0.0.1:${port}.`);
    server.close();
  });

  it('makes the command exit with 1 when another server listens', async () => {
    const server = createServer((_, response) => response.end('<html>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const io = new CapturedIo();
    expect(await run(connect(url), io)).toBe(1);
    expect(io.err).toContain('[CLI_UNEXPECTED_ANSWER]');
    server.close();
  });

  it.each([
    ['an object of nobody', 200, '{}'],
    ['a redirect', 302, ''],
    ['a list of another program', 200, '[]'],
  ])('ends with 1 when what listens answers %s, to `doctor` as well', async (_, status, text) => {
    const server = createServer((__, response) =>
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end(text),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const io = new CapturedIo();
    expect(await run(connect(url), io)).toBe(1);
    expect(io.err).toContain('[CLI_UNEXPECTED_ANSWER]');
    const doctor = new CapturedIo();
    expect(await run(['doctor', '--url', url, '--api-key', 'k', '--json'], doctor)).toBe(1);
    expect(doctor.out).toMatch(/"name":"service","status":"failed"/);
    server.close();
  });

  it('prints a stack only with DACAPO_DEBUG', async () => {
    const quiet = new CapturedIo();
    const debug = new CapturedIo({ DACAPO_DEBUG: '1' });
    await run(connect('http://127.0.0.1:9'), quiet);
    await run(connect('http://127.0.0.1:9'), debug);
    expect(quiet.err).not.toContain('    at ');
    expect(debug.err).toContain('    at ');
  });
});
