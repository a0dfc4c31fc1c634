/**
 * Mutation tests of the code that compares, matches and counts, where a bug produces wrong verdicts that look right. The tests of a
 * group must fail for 90 % of the mutations; the survivors are listed. Takes minutes per group and is not part of `npm test`.
 *
 * Run `npm run test:mutation`, or with groups: `npm run test:mutation -- statistics gate`.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Sources to mutate, and the tests that must fail, fastest first. Each group runs only its own tests to keep mutations fast.
 */
export const GROUPS = {
  // Excludes simulations: they fail for the same mutations as the others, and take seconds each.
  statistics: {
    mutate: ['libs/evaluation/src/statistics/**/*.ts'],
    tests: ['libs/evaluation/src/statistics/(?!simulated).*\\.spec\\.ts$'],
  },
  gate: {
    mutate: ['libs/evaluation/src/{gate,run}/**/*.ts'],
    tests: ['libs/evaluation/src/(gate|run)/(?!simulated).*\\.spec\\.ts$'],
  },
  verdict: {
    mutate: ['libs/evaluation/src/{verdict,diff}/**/*.ts'],
    tests: ['libs/evaluation/src/(verdict|diff)/.*\\.spec\\.ts$'],
  },
  values: {
    mutate: ['libs/protocol/src/values/{equal,canonical,error-facts}*.ts'],
    tests: [
      'libs/protocol/src/values/.*\\.spec\\.ts$',
      'libs/evaluation/src/(diff|values|verdict)/.*\\.spec\\.ts$',
    ],
  },
  matching: {
    // load-observable.ts neither compares nor counts.
    mutate: ['libs/tracer/src/replay/mock/**/!(load-observable).ts'],
    tests: [
      'libs/tracer/src/replay/mock/(divergences|turns|mock-miss|mock-policy|recorded-tree|find-reordered|shorten|opened-calls|inner-calls-alone|outcome-of)\\.spec\\.ts$',
      // Excludes replays of random programs: they fail for the same mutations, and take seconds each.
      'libs/tracer/src/replay/mock/(?!completion-order|ordered-programs).*\\.spec\\.ts$',
      'libs/tracer/src/replay/(coarse-times|network-guard|usage)\\.spec\\.ts$',
      // Depends on timers, so it runs last.
      'libs/tracer/src/replay/mock/completion-order\\.spec\\.ts$',
    ],
  },
};

/** The current group. */
export const GROUP = process.env.MUTATION_GROUP ?? 'statistics';

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const chosen = process.argv.slice(2);
  const unknown = chosen.filter((name) => !Object.hasOwn(GROUPS, name));
  if (unknown.length > 0) {
    process.stderr.write(
      `Unknown group ${unknown.join(', ')}. Expected: ${Object.keys(GROUPS).join(', ')}.\n`,
    );
    process.exit(1);
  }
  for (const group of chosen.length > 0 ? chosen : Object.keys(GROUPS)) {
    process.stdout.write(`\n── ${group} ──\n`);
    const stryker = join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js');
    const { status } = spawnSync(process.execPath, [stryker, 'run'], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, MUTATION_GROUP: group },
    });
    if (status !== 0) process.exitCode = 1;
  }
}
