/** The long fault suite, `npm run test:faults`: outages of half a minute, many kills. `npm test` runs the short one. */
module.exports = {
  ...require('./jest.config.cjs'),
  roots: ['<rootDir>/test/faults'],
  testRegex: '\\.(faults|spec)\\.ts$',
  testTimeout: 300_000,
  // The outages sleep most of the time.
  maxWorkers: 2,
};
