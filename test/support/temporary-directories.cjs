'use strict';

const { rmSync } = require('node:fs');
const CompiledOnceEnvironment = require('./compiled-once.cjs');

/** Removes the directories that a test file made. The file's own hooks run in order of definition, so they may run before the services have ended. */
module.exports = class extends CompiledOnceEnvironment {
  async setup() {
    await super.setup();
    this.global.temporaryDirectories = [];
  }

  async teardown() {
    for (const path of this.global.temporaryDirectories)
      rmSync(path, { recursive: true, force: true, maxRetries: 10 });
    await super.teardown();
  }
};
