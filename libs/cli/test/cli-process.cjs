'use strict';

// The command in a process of its own, from its sources, so that a test can kill it.
const { join } = require('node:path');

const root = join(__dirname, '../../..');
require(join(root, 'test/support/load-sources.cjs')).loadSources(root);
require('../src/bin.ts');
