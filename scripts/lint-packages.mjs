import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { deadLinks } from './packages/dead-links.mjs';
import { measureFirstLoad } from './packages/first-load.mjs';
import { measureStart } from './packages/start-size.mjs';
import { capture } from './progress.mjs';
import { libraries, readJson, ROOT } from './workspace.mjs';

/**
 * Size limits in kB of the packed packages that applications load. Each contains two builds, ES modules and CommonJS, with source
 * maps (docs/adr/0061).
 */
const BUDGETS = { protocol: 275, evaluation: 155, tracer: 515, nestjs: 110 };

/** Limit in kB of minified code that a record-only application loads at start, with code splitting. */
const START_BUDGET = 306;

/** Limit in kB, gzipped, of the scripts and styles that the dashboard's first page loads. */
const FIRST_LOAD_BUDGET = 110;

const { homepage, repository, bugs } = readJson(join(ROOT, 'package.json'));
const HOME = homepage.replace(/#.*$/, '');

/** What a package may contain. Tests, fixtures, data and keys of a developer do not belong to it. */
const PUBLISHED =
  /^(LICENSE|README\.md|package\.json|bin\/[\w-]+\.cjs|dist\/.+|skills\/[\w-]+\/SKILL\.md|schematics\/collection\.json)$/;
const NEVER_PUBLISHED = /\.(spec|test)\.|(^|\/)(test|fixtures|\.env|\.npmrc|\.dacapo)(\/|$)|\.(db|pem|key)$/;

const bin = (name) => join(ROOT, 'node_modules/.bin', name);

/** Checks that homepage, repository and bugs match the workspace's package.json. */
function wrongHome({ name, manifest }) {
  const expected = {
    homepage: `${HOME}/tree/main/libs/${name}#readme`,
    repository: { ...repository, directory: `libs/${name}` },
    bugs,
  };
  const wrong = Object.keys(expected).filter((field) => !isDeepStrictEqual(manifest[field], expected[field]));
  return wrong.map((field) => `package.json: ${field} must be ${JSON.stringify(expected[field])}`);
}

/**
 * Packs every public package like npm and runs publint and attw on the tarball. attw's profile excludes
 * `moduleResolution: node10`, which ignores `exports` and so subpaths such as `@dacapo/tracer/testing`. Also checks sizes, links in
 * READMEs, and what an application loads at start.
 */
const outDir = mkdtempSync(join(tmpdir(), 'dacapo-packages-'));
let failed = false;
const report = (title, problems) => {
  failed ||= problems.length > 0;
  console.log(`${problems.length === 0 ? '✓' : '✗'} ${title}`);
  for (const problem of problems) console.log(problem);
};
const packages = libraries().filter(({ isPublic }) => isPublic);
try {
  for (const library of packages) {
    const { name, dir } = library;
    const packed = await capture(
      'npm',
      ['pack', '--json', '--loglevel=error', '--pack-destination', outDir],
      { cwd: dir },
    );
    const [{ filename, files, size }] = JSON.parse(packed.output);
    const paths = files.map(({ path }) => path);
    const tarball = join(outDir, filename);
    const answers = await Promise.all([
      capture(bin('publint'), ['run', tarball, '--strict'], { cwd: dir }),
      capture(
        bin('attw'),
        [
          tarball,
          '--profile',
          'node16',
          '--format',
          'ascii',
          '--no-emoji',
          '--exclude-entrypoints',
          './core',
        ],
        { cwd: dir },
      ),
    ]);
    const problems = answers.filter(({ code }) => code !== 0).map(({ output }) => output);
    if (size > (BUDGETS[name] ?? Infinity) * 1000)
      problems.push(`Larger than ${BUDGETS[name]} kB. Remove code, or move it to another package.`);
    for (const path of paths.filter((one) => !PUBLISHED.test(one) || NEVER_PUBLISHED.test(one)))
      problems.push(`Contains ${path}. Remove it from "files" in package.json, or allow it in this script.`);
    if (!paths.includes('LICENSE'))
      problems.push('No LICENSE. Copy the one of the workspace next to package.json.');
    problems.push(...wrongHome(library));
    for (const link of deadLinks(dir, paths, { home: HOME, root: ROOT }))
      problems.push(`README.md links to ${link}, which does not exist. Link to ${HOME}/blob/main/…`);
    report(`${name} (${(size / 1000).toFixed(1)} kB packed)`, problems);
  }
} finally {
  rmSync(outDir, { recursive: true });
}

const folders = Object.fromEntries(packages.map(({ manifest, dir }) => [manifest.name, dir]));
const { startBytes, singleBytes } = await measureStart(folders);
const [start, single] = [startBytes, singleBytes].map((bytes) => `${(bytes / 1000).toFixed(1)} kB`);
report(
  `start of a record-only application (${start} minified, limit ${START_BUDGET} kB; ${single} as one file)`,
  startBytes > START_BUDGET * 1000
    ? ['Load rarely used code with import(), or list its modules under dacapo.later in package.json.']
    : [],
);

const firstLoadBytes = measureFirstLoad(join(ROOT, 'libs/collector/dist/dashboard'));
report(
  `first load of the dashboard (${(firstLoadBytes / 1000).toFixed(1)} kB gzipped, limit ${FIRST_LOAD_BUDGET} kB)`,
  firstLoadBytes > FIRST_LOAD_BUDGET * 1000
    ? [
        'Load pages with lazyPage() in libs/dashboard/src/app/pages.tsx, and what only some readers open with lazy().',
      ]
    : [],
);
process.exitCode = failed ? 1 : 0;
