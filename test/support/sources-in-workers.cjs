'use strict';

// Jest loads it before each test file: threads that a test starts load it then, and with it TypeScript sources as Jest does.
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  const others = (process.env.NODE_OPTIONS ?? '')
    .replace(/--require "[^"]*sources-in-workers\.cjs"/, '')
    .trim();
  process.env.NODE_OPTIONS = `${others} --require "${join(__dirname, 'sources-in-workers.cjs')}"`.trim();
} else {
  require('./load-sources.cjs').loadSources(join(__dirname, '../..'));
}
