'use strict';

// Jest loads this file before each test file, so that threads of a test load TypeScript sources like Jest.
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
