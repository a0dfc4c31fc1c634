import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { removeFolder } from '../../../test/support/remove-folder.js';
import { run } from '../src/run.js';
import { CapturedIo } from './captured-io.js';

const MANIFEST = `{
  "name": "desk",
  "scripts": { "build": "nest build", "start:prod": "node dist/main" },
  "dependencies": {
    "@nestjs/core": "^11.0.0"
  }
}
`;
const MAIN = `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  await app.listen(process.env.PORT ?? 3000);
}
bootstrap();
`;
const MODULE = `import { Module } from '@nestjs/common';

@Module({
  imports: [],
})
export class AppModule {}
`;
const SERVICE = `import { Injectable } from '@nestjs/common';
import OpenAI from 'openai';

@Injectable()
export class DeskService {
  constructor(private readonly model: OpenAI) {}

  /** Sorts a ticket. */
  async classify(message: string): Promise<{ label: string }> {
    if (message === '') return { label: 'none' };
    return { label: message };
  }
}
`;
const NEST = {
  'package.json': MANIFEST,
  'tsconfig.json': '{}',
  'src/main.ts': MAIN,
  'src/app.module.ts': MODULE,
  'src/desk.service.ts': SERVICE,
};

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dacapo-init-'));
});
afterEach(() => removeFolder(folder));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');

/** Every file of the project with its text. */
async function snapshot(): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    await Promise.all(files.sort().map(async (path) => [path, await readFile(path, 'utf8')])),
  );
}

async function init(...options: string[]): Promise<CapturedIo & { exitCode: number }> {
  return initAs(new CapturedIo(), ...options);
}

async function initAs(io: CapturedIo, ...options: string[]): Promise<CapturedIo & { exitCode: number }> {
  const exitCode = await run(['init', folder, ...options], io);
  return Object.assign(io, { exitCode });
}

describe('dacapo init in a Nest application', () => {
  beforeEach(() => write(NEST));

  it('connects module, shutdown hooks, .env, a method, a gate and CI', async () => {
    const { exitCode, out } = await init('--yes', '--method', 'DeskService.classify');
    expect(exitCode).toBe(0);
    expect(out).toContain('edited  src/main.ts');
    expect(out).toContain('set the variable TRACER_SERVICE_URL and the secret TRACER_API_KEY');
    expect(await read('src/app.module.ts')).toContain('imports: [TracerModule.forRoot()],');
    expect(await read('src/main.ts')).toBe(`import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';
import { existsSync } from 'node:fs';

if (existsSync('.env')) process.loadEnvFile('.env');

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  app.enableShutdownHooks();
  await app.listen(process.env.PORT ?? 3000);
}
bootstrap();
`);
    expect(await read('src/desk.service.ts')).toContain(
      '  /** Sorts a ticket. */\n  @Traced()\n  async classify(message: string)',
    );
    expect(await read('.env')).toBe('TRACER_API_KEY=\nTRACER_SERVICE_URL=http://127.0.0.1:4100\n');
    expect(await read('.gitignore')).toBe('.env\n.dacapo/\n');
    expect(JSON.parse(await read('gate.json'))).toEqual({ errors: 0, minItems: 1 });
    expect(await read('.github/workflows/dacapo.yml')).toContain(
      'npx dacapo replay dist/app.module.js --method DeskService.classify \\\n',
    );
    expect(JSON.parse(await read('package.json'))).toMatchObject({
      dependencies: { '@dacapo/nestjs': expect.any(String) },
      devDependencies: { '@dacapo/cli': expect.any(String) },
    });
  });

  it('changes nothing the second time', async () => {
    await init('--yes', '--method', 'DeskService.classify');
    const once = await snapshot();
    const { exitCode, out } = await init('--yes', '--method', 'DeskService.classify');
    expect(exitCode).toBe(0);
    expect(out).toContain('Nothing to change');
    expect(await snapshot()).toEqual(once);
  });

  it('shows the changes and does nothing without a terminal or --yes', async () => {
    const before = await snapshot();
    const { exitCode, out, err } = await init();
    expect(exitCode).toBe(2);
    expect(out).toBe('');
    expect(err).toContain('+  app.enableShutdownHooks();');
    expect(err).toContain('Not a terminal, so nothing was done. Pass --yes to confirm.');
    expect(await snapshot()).toEqual(before);
  });

  it('asks which method to record, those near a client of a model first, and writes after a yes', async () => {
    const io = new CapturedIo();
    io.typed = '1';
    io.answer = true;
    const asked: string[] = [];
    const ask = io.ask.bind(io);
    io.ask = (question) => {
      asked.push(question);
      return ask(question);
    };
    await write({ 'src/app.service.ts': '@Injectable()\nexport class AppService {\n  hello() {}\n}\n' });
    expect((await initAs(io)).exitCode).toBe(0);
    expect(asked[0]).toContain('1  DeskService.classify (src/desk.service.ts)\n  2  AppService.hello');
    expect(await read('src/desk.service.ts')).toContain('@Traced()');
  });

  it('writes nothing after a no', async () => {
    const before = await snapshot();
    const io = new CapturedIo();
    io.answer = false;
    expect((await initAs(io)).exitCode).toBe(2);
    expect(await snapshot()).toEqual(before);
  });

  it('lists the methods if --method names none of them', async () => {
    const { exitCode, err } = await init('--yes', '--method', 'DeskService.clasify');
    expect(exitCode).toBe(2);
    expect(err).toContain('Name one of: DeskService.classify.');
  });

  it('keeps hand-written files', async () => {
    await write({ 'gate.json': '{"errors":3}', '.env': 'PORT=1\nTRACER_API_KEY=mine' });
    await init('--yes', '--method', 'DeskService.classify');
    expect(await read('gate.json')).toBe('{"errors":3}');
    expect(await read('.env')).toBe('TRACER_SERVICE_URL=http://127.0.0.1:4100\nPORT=1\nTRACER_API_KEY=mine');
  });

  it.each(['DB_PASSWORD=secret', '\uFEFFDB_PASSWORD=secret\r\nPORT=1\r\n'])(
    'neither prints nor stores a line of .env: %j',
    async (env) => {
      await write({ '.env': env });
      const { err } = await init('--yes');
      expect(err).toContain('+TRACER_API_KEY=');
      expect(err).not.toContain('secret');
      expect(await read('.dacapo/init.json')).not.toContain('secret');
      await init('--undo', '--yes');
      expect(await read('.env')).toBe(env);
    },
  );

  it('leaves a file that is not UTF-8 as it is', async () => {
    const latin1 = Buffer.from('PORT=1\nCITY=Z\u00FCrich\n', 'latin1');
    await writeFile(join(folder, '.env'), latin1);
    const { exitCode, err } = await init('--yes');
    expect(exitCode).toBe(1);
    expect(err).toMatch(/\.env is not UTF-8, so nothing was changed\. .*\[CLI_NOT_UTF8\]/);
    expect(await readFile(join(folder, '.env'))).toEqual(latin1);
  });

  it('reports what is left to do if it did not understand a file', async () => {
    await write({ 'src/app.module.ts': 'export const modules = [];\n' });
    await init('--yes');
    const { out } = await init('--yes');
    expect(out).toContain('Nothing was changed. These steps remain:');
    expect(out).toContain("Add TracerModule.forRoot() from '@dacapo/nestjs'");
    expect(out).not.toContain('connected');
  });

  it('shows the changes before it asks, also with --json', async () => {
    const io = new CapturedIo();
    Object.assign(io.stderr, { isTTY: true });
    io.answer = false;
    await initAs(io, '--json');
    expect(io.err).toContain('+  app.enableShutdownHooks();');
  });

  it('keeps line ends, tabs and a byte order mark', async () => {
    const windows = (text: string): string => text.replaceAll('\n', '\r\n').replaceAll('  ', '\t');
    await write({ 'src/main.ts': `\uFEFF${windows(MAIN)}`, 'src/app.module.ts': windows(MODULE) });
    await init('--yes');
    const main = await read('src/main.ts');
    expect(main.startsWith('\uFEFFimport')).toBe(true);
    expect(main).toContain('\r\n\tapp.enableShutdownHooks();\r\n');
    expect(main.replaceAll('\r\n', '')).not.toContain('\n');
    expect((await read('src/app.module.ts')).replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('loads no .env where the application does', async () => {
    await write({ 'package.json': MANIFEST.replace('@nestjs/core', '@nestjs/config": "^4", "@nestjs/core') });
    await init('--yes');
    expect(await read('src/main.ts')).not.toContain('loadEnvFile');
  });

  it('refuses a path behind a symbolic link, and changes nothing', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'dacapo-elsewhere-'));
    await symlink(elsewhere, join(folder, '.github'), 'junction');
    const before = await snapshot();
    const { exitCode, err } = await init('--yes', '--method', 'DeskService.classify');
    expect(exitCode).toBe(1);
    expect(err).toContain('[CLI_OUTSIDE_PROJECT]');
    expect(await readdir(elsewhere)).toEqual([]);
    expect(await snapshot()).toEqual(before);
    await removeFolder(elsewhere);
  });

  it.each([tmpdir(), '../elsewhere'])('refuses sources outside of the project: %s', async (sourceRoot) => {
    const before = await snapshot();
    const { exitCode, err } = await init('--yes', '--source-root', sourceRoot);
    expect(exitCode).toBe(1);
    expect(err).toContain('[CLI_OUTSIDE_PROJECT]');
    expect(await snapshot()).toEqual(before);
  });
});

describe('dacapo init --undo', () => {
  beforeEach(() => write(NEST));

  it('restores every file, also after two runs', async () => {
    const before = await snapshot();
    await init('--yes');
    await init('--yes', '--method', 'DeskService.classify');
    const { exitCode, out } = await init('--undo', '--yes');
    expect(exitCode).toBe(0);
    expect(out).toContain('deleted .github/workflows/dacapo.yml');
    expect(await snapshot()).toEqual(before);
    expect(existsSync(join(folder, '.github'))).toBe(false);
  });

  it('refuses if a file was edited since, and changes nothing', async () => {
    await init('--yes');
    await write({ 'src/main.ts': MAIN });
    const before = await snapshot();
    const { exitCode, err } = await init('--undo', '--yes');
    expect(exitCode).toBe(1);
    expect(err).toContain('src/main.ts changed since `dacapo init` edited them');
    expect(await snapshot()).toEqual(before);
  });

  it('keeps an .env with a key, and the .gitignore with it', async () => {
    await init('--yes');
    await write({ '.env': 'TRACER_API_KEY=secret\n' });
    const { exitCode, out, err } = await init('--undo', '--yes');
    expect(exitCode).toBe(0);
    expect(out).toContain(
      '.env was edited since, so .env and .gitignore stayed. Remove TRACER_API_KEY and TRACER_SERVICE_URL from .env by hand.',
    );
    expect(out + err).not.toContain('secret');
    expect(await read('.env')).toBe('TRACER_API_KEY=secret\n');
    expect(await read('.gitignore')).toContain('.env\n');
    expect(await read('src/main.ts')).toBe(MAIN);
  });

  it('refuses a record that names a file outside of the project', async () => {
    const change = { path: join(tmpdir(), 'elsewhere.txt'), hash: '' };
    await write({ '.dacapo/init.json': JSON.stringify({ format: 1, changes: [change] }) });
    const { exitCode, err } = await init('--undo', '--yes');
    expect(exitCode).toBe(1);
    expect(err).toContain('[CLI_OUTSIDE_PROJECT]');
  });

  it('reports that there is nothing to undo', async () => {
    const { exitCode, err } = await init('--undo', '--yes');
    expect(exitCode).toBe(1);
    expect(err).toContain('[CLI_NOTHING_TO_UNDO]');
  });
});

describe('dacapo init without Nest', () => {
  it.each([
    ['{"type":"module"}', { 'src/index.js': '' }, 'src/tracer.js', 'export const tracer'],
    ['{}', { 'index.js': '' }, 'tracer.js', 'module.exports = { tracer };'],
    ['{}', { 'tsconfig.json': '{}', 'src/index.ts': '' }, 'src/tracer.ts', 'export const tracer'],
  ])('writes a file with the tracer: %s %j', async (manifest, files, path, line) => {
    await write({ 'package.json': manifest, ...files });
    const { exitCode, out } = await init('--yes');
    expect(exitCode).toBe(0);
    expect(await read(path)).toContain(line);
    expect(out).toContain(`Wrap a function with the tracer of ${path}`);
    expect(JSON.parse(await read('package.json'))).toMatchObject({
      dependencies: { '@dacapo/tracer': expect.any(String) },
    });
  });

  it('names the file that it needs', async () => {
    const { exitCode, err } = await init('--yes');
    expect(exitCode).toBe(2);
    expect(err).toMatch(/package\.json cannot be read .*Run the command in the folder of your application/);
  });
});
