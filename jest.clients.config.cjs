/** `npm run test:clients`: what `npm test` asks of the newest clients, asked of older ones, and clients that only this install has. */
const base = require('./jest.config.cjs');

const esmOnly = [
  '@mistralai',
  '@openrouter',
  '@anthropic-ai/claude-agent-sdk',
  'claude-agent-sdk-v0.1',
  '@langchain',
];

module.exports = {
  ...base,
  // These ship ES modules only.
  transformIgnorePatterns: base.transformIgnorePatterns.map((pattern) =>
    pattern.replace('(?!(', `(?!(${esmOnly.join('|')}|`),
  ),
  roots: ['<rootDir>/test/clients'],
  testRegex: '\\.clients\\.ts$',
};
