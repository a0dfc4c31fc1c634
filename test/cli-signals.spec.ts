import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { removeFolder } from './support/remove-folder.js';

const DACAPO = join(__dirname, '../libs/cli/bin/dacapo.cjs');

describe('`dacapo serve` during a request', () => {
  let folder: string;
  let serving: ChildProcessWithoutNullStreams;
  let request: Socket;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-cli-signals-'));
    serving = spawn(process.execPath, [DACAPO, 'serve', '--port', '0', '--data-dir', folder]);
    const printed = await readUntil(serving, /Press Ctrl\+C/);
    const port = Number(/ready at http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)?.[1]);
    const apiKey = /API key +(\S+)/.exec(printed)?.[1] ?? '';
    request = await startUpload(port, apiKey);
  });
  afterEach(async () => {
    request.destroy();
    serving.kill('SIGKILL');
    await removeFolder(folder);
  });

  it('stops at once after two signals', async () => {
    const exited = once(serving, 'exit');
    serving.kill('SIGINT');
    await once(serving.stderr, 'data');
    serving.kill('SIGINT');
    expect(await exited).toEqual([null, 'SIGINT']);
  });

  it('finishes the request after one signal', async () => {
    const exited = once(serving, 'exit');
    serving.kill('SIGTERM');
    await once(serving.stderr, 'data');
    const answer = once(request, 'data');
    request.write('}');
    expect(String(await answer)).toContain('HTTP/1.1 400');
    expect(await exited).toEqual([0, null]);
  });
});

async function readUntil(process: ChildProcessWithoutNullStreams, end: RegExp): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface(process.stdout)) {
    lines.push(line);
    if (end.test(line)) break;
  }
  return lines.join('\n');
}

/** Sends all but the last byte of a body as soon as the service waits for it. */
async function startUpload(port: number, apiKey: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const headers = [
    'POST /api/v1/indexes HTTP/1.1',
    'Host: localhost',
    `API-Key: ${apiKey}`,
    'Content-Type: application/json',
    'Expect: 100-continue',
    'Connection: close',
    'Content-Length: 2',
  ];
  socket.write(`${headers.join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  socket.write('{');
  return socket;
}
