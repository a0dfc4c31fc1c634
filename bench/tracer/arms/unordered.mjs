/**
 * Dacapo without the order of calls (`meta.after`), so that its ratio to `dacapo` is what the order costs. The tracer has no such option, so
 * its code is changed while it is loaded.
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
if (!isChanged) throw new Error('The tracer has no BranchPosition.advance to leave out.');
