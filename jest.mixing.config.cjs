/** The long form of the mixing suite, `npm run test:mixing`: a minute of load on each platform. `npm test` runs the short one. */
module.exports = {
  ...require('./jest.config.cjs'),
  roots: ['<rootDir>/libs/nestjs/test/mixing'],
  testRegex: '\\.load\\.ts$',
  testTimeout: 600_000,
};
