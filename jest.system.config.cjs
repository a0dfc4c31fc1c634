/** `npm run test:system`: the system as a whole, in processes, browsers and documents. `npm run test:faults` has the faults. */
module.exports = {
  ...require('./jest.config.cjs'),
  roots: ['<rootDir>/test'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/faults/'],
};
