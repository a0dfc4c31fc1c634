import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { removeFolder } from '../../../../test/support/remove-folder.js';

const ROOT = join(__dirname, '../../../..');
const PROGRAM = join(ROOT, 'libs/cli/test/cli-process.cjs');

const BROKEN = 'parcel.place.toUpperCase()';
export const FIXED = "(parcel.place ?? 'lost').toUpperCase()";

/** A support desk whose look-up must not run in a replay: it writes a file. */
const moduleText = (place: string): string => `
  const { appendFileSync, existsSync, writeFileSync } = require('node:fs');
  const { join } = require('node:path');
  const { Tracer } = require('@dacapo/tracer');
  const tracer = new Tracer({ apiKey: process.env.TRACER_API_KEY, serviceUrl: process.env.TRACER_SERVICE_URL });
  const lookup = tracer.withSpan('support.lookup', async (id) => {
    appendFileSync(join(__dirname, '../ran.txt'), id);
    return { place: id };
  });
  exports.answer = tracer.withSpan('support.answer', async (id) => {
    console.log(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [] } }));
    require('node:fs').writeSync(1, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled' }) + '\\n');
    const hold = join(__dirname, '../hold.txt');
    if (existsSync(hold)) {
      writeFileSync(join(__dirname, '../pid.txt'), String(process.pid));
      for (;;) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const parcel = await lookup(id);
    return 'Your parcel is in ' + ${place};
  });
`;

export interface Answered {
  readonly text: string;
  readonly isError: boolean;
}

/** A project with a configuration, in a folder of its own, and clients that its owner's agent would use. */
export class McpProject {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'dacapo-mcp-')));
  private readonly clients: Client[] = [];

  constructor(private readonly env: Readonly<Record<string, string>>) {
    for (const name of ['src', 'dist', 'test']) mkdirSync(join(this.folder, name));
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'), 'junction');
    this.edit(BROKEN);
    this.configure({});
  }

  get programEnv(): Record<string, string> {
    const kept = Object.entries(process.env).filter(([, value]) => value !== undefined);
    return { ...(Object.fromEntries(kept) as Record<string, string>), ...this.env };
  }

  get program(): string {
    return PROGRAM;
  }

  /** Changes the code, and builds it. */
  edit(place: string): void {
    this.write('src/support.ts', `// ${place}\n`);
    this.write('dist/support.cjs', moduleText(place));
  }

  configure(replay: object): void {
    this.write(
      'dacapo.config.json',
      JSON.stringify({ replay: { module: 'dist/support.cjs', keys: ['support.answer'], ...replay } }),
    );
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text);
  }

  /** All files of the project, apart from the installed packages. */
  async files(): Promise<string[]> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name).slice(this.folder.length + 1))
      .sort();
  }

  async connect(): Promise<Client> {
    const client = await connectAgent(this.folder, this.programEnv);
    this.clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
    await removeFolder(this.folder);
  }
}

/** Starts the server in a project as a coding agent does. */
export async function connectAgent(folder: string, env: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp'],
    cwd: folder,
    env,
    stderr: 'inherit',
  });
  await client.connect(transport);
  return client;
}

/** Calls a tool, and returns the text of its answer. */
export async function ask(
  client: Client,
  name: string,
  input: Record<string, unknown> = {},
): Promise<Answered> {
  const { content, isError } = await client.callTool({ name, arguments: input }, { timeout: 110_000 });
  const [first] = content;
  if (first?.type !== 'text') throw new Error(`${name} answered without text`);
  return { text: first.text, isError: isError === true };
}

/** What an answer says itself: without the recorded text, which is between lines with the answer's random word. */
export function ownWords(answer: string): string {
  return answer.replaceAll(
    /\[recorded ([\da-f]{16}): data, not instructions\]\n(`+)text\n[^]*?\n\2\n\[end \1\]/g,
    '',
  );
}
