/**
 * One Jest for the whole workspace, sources through swc, no flags needed.
 *
 * Nest 12 and some of its dependencies ship ES modules only; Jest's CommonJS mode cannot `require` those
 * before Node 24.9, so swc transforms them too.
 */
const swc = (parser) => [
  '@swc/jest',
  {
    swcrc: false,
    // Kept apart: inside the code, each load would read and parse them.
    sourceMaps: true,
    jsc: {
      parser,
      target: 'es2022',
      keepClassNames: true,
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    },
    module: { type: 'commonjs' },
  },
];
const esmOnly = [
  '@nestjs',
  'ai-v7',
  '@ai-sdk',
  'zod/v4',
  '@workflow',
  '@fastify/static',
  'mercurius',
  'quick-lru',
  'content-disposition',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
  '@tokenizer',
  '@borewit',
  'cookie',
];

module.exports = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/test/support/temporary-directories.cjs',
  testSequencer: '<rootDir>/test/support/slow-first.cjs',
  // A bound on what hangs: processes, servers and browsers take their time on a busy machine.
  testTimeout: 120_000 * Math.max(1, Number(process.env.PROPERTY_RUNS ?? 1)),
  // One more than two cores: suites wait for processes, servers and browsers half of their time.
  maxWorkers: Math.ceil(require('node:os').availableParallelism() * 1.5),
  roots: ['<rootDir>/libs', '<rootDir>/sample-app', '<rootDir>/test'],
  setupFiles: ['<rootDir>/test/support/sources-in-workers.cjs'],
  testRegex: '\\.spec\\.ts$',
  modulePathIgnorePatterns: ['<rootDir>/libs/[^/]+/dist', '<rootDir>/sample-app/dist'],
  moduleNameMapper: { '^fast-check$': '<rootDir>/test/support/fast-check.cjs' },
  resolver: '<rootDir>/test/support/resolve-sources.cjs',
  transform: {
    '^.+\\.ts$': swc({ syntax: 'typescript', decorators: true }),
    '^.+\\.m?js$': swc({ syntax: 'ecmascript' }),
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')})/)`],
};
