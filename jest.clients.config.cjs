/** `npm run test:clients`: what `npm test` asks of the newest clients, asked of older ones. */
module.exports = {
  ...require('./jest.config.cjs'),
  roots: ['<rootDir>/test/clients'],
  testRegex: '\\.clients\\.ts$',
};
