import { createRequire } from 'node:module';
import { GROUPS } from './scripts/test-mutation.mjs';

const jest = createRequire(import.meta.url)('./jest.config.cjs');
const { mutate, tests } = GROUPS[process.env.MUTATION_GROUP ?? 'statistics'];

/** Changes code in small ways and asks whether a test notices. `npm run test:mutation` runs it for one group after the other. */
export default {
  mutate: [...mutate, '!**/*.spec.ts'],
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  coverageAnalysis: 'perTest',
  jest: {
    projectType: 'custom',
    // A group names its tests; those that import what they test by its package would not be found.
    enableFindRelatedTests: false,
    config: {
      ...jest,
      // Changed is a copy, and Jest's root is where that is.
      rootDir: undefined,
      roots: ['<rootDir>/libs'],
      testRegex: tests,
      // Simulations draw millions of numbers or play hundreds of programs, for which there is no time with each change.
      testPathIgnorePatterns: ['/node_modules/', '/simulated-'],
    },
  },
  // What runs when a file is loaded would ask for all tests, again and again.
  ignoreStatic: true,
  ignorePatterns: ['**/dist', '.cache', '.dacapo', 'bench', 'docs', 'sample-app'],
  tempDirName: '.cache/stryker',
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, allowEmojis: false },
  jsonReporter: { fileName: `.cache/mutation/${process.env.MUTATION_GROUP ?? 'statistics'}.json` },
  thresholds: { high: 95, low: 90, break: 90 },
  dryRunTimeoutMinutes: 15,
  // It takes long on any number of cores; the others are for the people beside it.
  concurrency: 1,
};
