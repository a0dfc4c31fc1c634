'use strict';

// Jest loads every module again for each test file. This environment keeps the code that V8 compiled in the process.
const { TestEnvironment } = require('jest-environment-node');
const vm = require('node:vm');

/** Compiled source and V8's code, by path. V8 itself compares only the length of a source. */
const compiled = new Map();
/** Compiled by this test file for the first time. */
let added = [];

vm.compileFunction = (source, parameters, { parsingContext, ...options }) => {
  const head = `(function (${parameters.join(', ')}) {`;
  const known = compiled.get(options.filename);
  const cachedData = known?.source === source ? known.code : undefined;
  const script = new vm.Script(`${head}${source}\n})`, {
    ...options,
    cachedData,
    columnOffset: -head.length,
  });
  if (cachedData === undefined || script.cachedDataRejected)
    added.push({ filename: options.filename, source, script });
  return script.runInContext(parsingContext);
};

module.exports = class extends TestEnvironment {
  async teardown() {
    // At the end of the file, the code has the functions that its tests called.
    for (const { filename, source, script } of added)
      compiled.set(filename, { source, code: script.createCachedData() });
    added = [];
    await super.teardown();
  }
};
