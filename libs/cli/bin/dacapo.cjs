#!/usr/bin/env node
// A committed file: npm links a command only if its file is there when it installs, before anything is built.
require('../dist/cjs/bin.js');
