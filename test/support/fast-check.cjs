'use strict';

// Jest loads this file in place of fast-check.
const fastCheck = require('../../node_modules/fast-check/lib/cjs/fast-check.js');

/** `PROPERTY_RUNS=10 npm test` runs each property on ten times as many values, in ten times the time. */
const TIMES = Number(process.env.PROPERTY_RUNS ?? 1);
/** Less than Jest's timeout, so that a failed property reports its seed and the smallest counterexample found until then. */
const LIMIT_MS = 90_000 * Math.max(1, TIMES);
const DEFAULT_RUNS = 100;

// An interrupted property counts as failed.
fastCheck.configureGlobal({ interruptAfterTimeLimit: LIMIT_MS, markInterruptAsFailure: true });

function assert(property, parameters = {}) {
  const numRuns = Math.ceil((parameters.numRuns ?? DEFAULT_RUNS) * TIMES);
  return fastCheck.assert(property, { ...parameters, numRuns });
}

module.exports = { ...fastCheck, __esModule: true, assert, default: { ...fastCheck.default, assert } };
