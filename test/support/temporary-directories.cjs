'use strict';

const { rmSync } = require('node:fs');
const CompiledOnceEnvironment = require('./compiled-once.cjs');

/** Removes the directories that a test file made. Hooks of the file run in the order in which they are defined, so that none of them surely runs after the services have ended. */
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
