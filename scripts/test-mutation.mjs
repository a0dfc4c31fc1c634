/**
 * Mutation tests of what compares, matches and counts: a fault there makes a verdict that nobody doubts. Each group must
 * notice 90 % of the changes; those that nobody noticed are listed. Takes minutes a group, and is no part of `npm test`.
 *
 * Run `npm run test:mutation`, or with groups: `npm run test:mutation -- statistics gate`.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What is changed, and the tests that must notice, the quick ones first: with those of all groups each change would take as
 * long as all.
 */
export const GROUPS = {
  // Simulations are left out: they notice what the others do, and take seconds for each change.
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
    // What finds the Observable of an application neither compares nor counts.
    mutate: ['libs/tracer/src/replay/mock/**/!(load-observable).ts'],
    tests: [
      'libs/tracer/src/replay/mock/(divergences|turns|mock-miss|mock-policy|recorded-tree|find-reordered|shorten|opened-calls|inner-calls-alone|outcome-of)\\.spec\\.ts$',
      // Replays of random programs notice nothing that these do not, and take seconds for each change.
      'libs/tracer/src/replay/mock/(?!completion-order|ordered-programs).*\\.spec\\.ts$',
      'libs/tracer/src/replay/(coarse-times|network-guard|usage)\\.spec\\.ts$',
      // It plays by the clock.
      'libs/tracer/src/replay/mock/completion-order\\.spec\\.ts$',
    ],
  },
};

/** The group whose turn it is. */
export const GROUP = process.env.MUTATION_GROUP ?? 'statistics';

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const chosen = process.argv.slice(2);
  const unknown = chosen.filter((name) => !Object.hasOwn(GROUPS, name));
  if (unknown.length > 0) {
    process.stderr.write(`No group ${unknown.join(', ')}. There are: ${Object.keys(GROUPS).join(', ')}.\n`);
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
