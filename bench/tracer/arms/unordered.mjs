/**
 * Dacapo without the order of calls (`meta.after`), so that the ratio to `dacapo` is the cost of the order. The tracer has no such
 * option, so this arm patches its code on load.
 */
import Module from 'node:module';

const ADVANCE = /static advance\(frame, spanId\) \{/;
let isChanged = false;

const compile = Module.prototype._compile;
Module.prototype._compile = function (source, ...rest) {
  isChanged ||= ADVANCE.test(source);
  return compile.call(this, source.replace(ADVANCE, '$& return undefined;'), ...rest);
};
export const { createArm } = await import('./dacapo.mjs');
if (!isChanged) throw new Error('Cannot patch the tracer: it has no BranchPosition.advance.');
