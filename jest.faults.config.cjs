/** `npm run test:faults`: outages of half a minute, many kills. */
module.exports = {
  ...require('./jest.config.cjs'),
  roots: ['<rootDir>/test/faults'],
  testRegex: '\\.(faults|spec)\\.ts$',
  testTimeout: 300_000,
  // The outages sleep most of the time.
  maxWorkers: 2,
};
