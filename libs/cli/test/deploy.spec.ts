import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { createProgram } from '../src/program.js';
import { CapturedIo } from './captured-io.js';

const ROOT = join(__dirname, '../../..');

const read = (path: string): string => readFileSync(join(ROOT, 'deploy', path), 'utf8');

/** All values of a parsed document, the innermost too. */
function* walk(value: unknown): Generator {
  yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const inner of Object.values(value)) yield* walk(inner);
}

function parseDocuments(path: string): unknown[] {
  return parseAllDocuments(read(path), { merge: true }).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as unknown;
  });
}

/** The lists of arguments in a document that start with `serve`. */
function findServeArguments(path: string): string[][] {
  return [...walk(parseDocuments(path))].filter(
    (value): value is string[] => Array.isArray(value) && value[0] === 'serve',
  );
}

const DOCKERFILE_COMMAND = /^CMD (.*)$/m.exec(read('Dockerfile'))?.[1] ?? '[]';
const UNIT_COMMAND = /^ExecStart=.*?\.cjs (.*)$/m.exec(read('systemd/dacapo.service'))?.[1] ?? '';

describe('the files in deploy/', () => {
  it.each([
    ['Dockerfile', [JSON.parse(DOCKERFILE_COMMAND) as string[]]],
    ['systemd/dacapo.service', [UNIT_COMMAND.split(' ')]],
    ['compose.postgres.yaml', findServeArguments('compose.postgres.yaml')],
    ['kubernetes/sqlite.yaml', findServeArguments('kubernetes/sqlite.yaml')],
    ['kubernetes/postgres.yaml', findServeArguments('kubernetes/postgres.yaml')],
  ])('%s starts the service with options that it has', async (_, commands) => {
    expect(commands).not.toEqual([]);
    const program = await createProgram(new CapturedIo(), 'serve');
    const serve = program.commands.find((command) => command.name() === 'serve');
    for (const [name, ...args] of commands) {
      expect(name).toBe('serve');
      expect(serve?.parseOptions(args)).toEqual({ operands: [], unknown: [] });
    }
  });

  it('compose.yaml is a document that Compose can read', () => {
    expect(parseDocuments('compose.yaml')).toMatchObject([{ services: { dacapo: { read_only: true } } }]);
  });

  it('the image has the version of the ClickHouse client that is tested', () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version?: string }>;
    };
    expect(read('Dockerfile')).toContain(
      `@clickhouse/client@${packages['node_modules/@clickhouse/client']?.version}`,
    );
  });
});
