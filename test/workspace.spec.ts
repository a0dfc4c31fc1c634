import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasTitle, readRules } from './workspace/specification-table.js';

const ROOT = join(__dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

function findSources(dir: string): string[] {
  return readdirSync(join(ROOT, dir), { withFileTypes: true }).flatMap((entry) => {
    const path = `${dir}/${entry.name}`;
    if (entry.isDirectory()) return findSources(path);
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.spec.ts') ? [path] : [];
  });
}

describe('package-lock.json', () => {
  interface Locked {
    readonly dependencies?: Record<string, string>;
    readonly optionalDependencies?: Record<string, string>;
  }
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };

  /** Where npm searches the dependencies of a package: next to it, then further up. */
  const holds = (from: string, name: string): boolean => {
    if (`${from === '' ? '' : `${from}/`}node_modules/${name}` in packages) return true;
    if (from === '') return false;
    const up = from.lastIndexOf('/node_modules/');
    return holds(up < 0 ? '' : from.slice(0, up), name);
  };

  it('contains all dependencies of its packages, including native packages of every platform', () => {
    const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !holds(path, name))
        .map((name) => `${path} needs ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('docs/errors.md', () => {
  const CODE = /['`]((?:PROTOCOL|EVALUATION|TRACER|NESTJS|TESTING|COLLECTOR|CLI)_[A-Z_]+)['`]/g;
  /** Environment variables that look like codes. */
  const NO_CODES = new Set(['TRACER_API_KEY', 'TRACER_SERVICE_URL', 'TRACER_ENVIRONMENT', 'TRACER_RELEASE']);
  const codesIn = (text: string): string[] =>
    [...text.matchAll(CODE)].map(([, code]) => code!).filter((code) => !NO_CODES.has(code));

  const inSources = readdirSync(join(ROOT, 'libs'))
    .filter((lib) => existsSync(join(ROOT, 'libs', lib, 'src')))
    .flatMap((lib) => findSources(`libs/${lib}/src`))
    .flatMap((path) => codesIn(read(path)));
  const rows = read('docs/errors.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'));

  it('lists exactly the error codes in the sources', () => {
    const listed = rows.flatMap((row) => codesIn(row.slice(0, row.indexOf('|', 1))));
    expect(listed.sort()).toEqual([...new Set(inSources)].sort());
  });

  it('lists no error of @dacapo/nestjs whose class cannot be imported', () => {
    const entry = read('libs/nestjs/src/index.ts');
    const classes = findSources('libs/nestjs/src').flatMap((path) =>
      [...read(path).matchAll(/export class (\w+)[^{]*\{\s*(?:override )?readonly code = 'NESTJS_/g)].map(
        ([, name]) => name!,
      ),
    );
    expect(classes).toHaveLength(rows.filter((row) => row.startsWith('| `NESTJS_')).length);
    expect(classes.filter((name) => !new RegExp(`\\b${name}\\b`).test(entry))).toEqual([]);
  });

  it('explains each code and what to do', () => {
    const incomplete = rows.filter((row) => row.split('|').filter((cell) => cell.trim() !== '').length !== 3);
    expect(incomplete).toEqual([]);
  });
});

describe('test/specification.md', () => {
  const SECTIONS = [
    '1',
    '2.1',
    '2.2',
    '2.3',
    '2.4',
    '2.5',
    '2.6',
    '2.7',
    '2.8',
    '3',
    '4.1',
    '4.2',
    '5',
    '6',
    '7',
    '8',
    '9',
  ];
  const markdown = read('test/specification.md');
  const rules = readRules(markdown);

  it.each(SECTIONS)('has section %s', (section) => {
    expect(markdown).toMatch(new RegExp(`^#{2,3} ${section.replace('.', '\\.')}[. ]`, 'm'));
  });

  it('names a proof for every rule', () => {
    expect(rules.length).toBeGreaterThan(0);
    expect(rules.filter(({ proofs }) => proofs.length === 0).map(({ rule }) => rule)).toEqual([]);
  });

  it('names only tests that exist', () => {
    const missing = rules
      .flatMap(({ proofs }) => proofs)
      .flatMap(({ rule, path, titles }) => {
        if (!existsSync(join(ROOT, path))) return [`${rule}: no file ${path}`];
        if (titles.length === 0) return [`${rule}: no title after ${path}`];
        const source = read(path);
        return titles
          .filter((title) => !hasTitle(source, title))
          .map((title) => `${rule}: no "${title}" in ${path}`);
      });
    expect(missing).toEqual([]);
  });
});

describe('The packages', () => {
  const manifests = readdirSync(join(ROOT, 'libs')).map((lib) =>
    JSON.parse(read(`libs/${lib}/package.json`)),
  );

  it('have one version', () => {
    expect(new Set(manifests.map(({ version }) => version))).toEqual(
      new Set([JSON.parse(read('package.json')).version]),
    );
  });

  it('depend on each other with that version', () => {
    const dependencies = manifests.flatMap(
      ({ dependencies = {} }: { dependencies?: Record<string, string> }) =>
        Object.entries(dependencies).filter(([name]) => name.startsWith('@dacapo/')),
    );
    expect(new Set(dependencies.map(([, version]) => version))).toEqual(
      new Set([JSON.parse(read('package.json')).version]),
    );
  });

  it('need none of the SDKs that they trace, and accept any installed version', () => {
    const manifest = JSON.parse(read('libs/tracer/package.json'));
    const peers = Object.keys(manifest.peerDependencies);
    expect(manifest.peerDependencies).toEqual(Object.fromEntries(peers.map((peer) => [peer, '*'])));
    expect(manifest.peerDependenciesMeta).toEqual(
      Object.fromEntries(peers.map((peer) => [peer, { optional: true }])),
    );
  });

  it('contain their licence', () => {
    const bare = readdirSync(join(ROOT, 'libs')).filter(
      (lib) =>
        JSON.parse(read(`libs/${lib}/package.json`)).private !== true && read(`libs/${lib}/LICENSE`) === '',
    );
    expect(bare).toEqual([]);
  });
});
