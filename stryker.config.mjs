import { GROUP, GROUPS } from './scripts/test-mutation.mjs';

/** Changes code in small ways and asks whether a test notices. `npm run test:mutation` runs it for one group after the other. */
export default {
  mutate: [...GROUPS[GROUP].mutate, '!**/*.spec.ts'],
  testRunner: 'loaded-once',
  plugins: ['./test/mutation/loaded-once-runner.mjs'],
  coverageAnalysis: 'perTest',
  // What runs when a file is loaded would ask for all tests, again and again.
  ignoreStatic: true,
  ignorePatterns: ['**/dist', '.cache', '.dacapo', 'bench', 'docs', 'sample-app'],
  tempDirName: '.cache/stryker',
  reporters: ['progress-append-only', 'clear-text', 'json', 'kept-results'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, allowEmojis: false },
  jsonReporter: { fileName: `.cache/mutation/${GROUP}.json` },
  thresholds: { high: 95, low: 90, break: 90 },
  // Of all tests of a change; the runner ends a test that hangs.
  timeoutMS: 60_000,
  dryRunTimeoutMinutes: 15,
  concurrency: 2,
};
