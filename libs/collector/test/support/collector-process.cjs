'use strict';

// The built collector in a process of its own, so that it can be killed: prints its address and key, and stays.
const { startCollector } = require('@dacapo/collector');

const [, , where, options = '{}'] = process.argv;
const data = where.startsWith('postgres://') ? { storage: where } : { dataDir: where };

startCollector({ port: 0, ...data, ...JSON.parse(options) }).then(
  ({ url, apiKey }) => process.stdout.write(`${JSON.stringify({ url, apiKey })}\n`),
  (error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exitCode = 1;
  },
);
