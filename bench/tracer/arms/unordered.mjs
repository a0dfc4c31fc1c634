/**
 * Dacapo without the order of calls (`meta.after`), so that the ratio to `dacapo` is the cost of the order. The tracer has no such
 * option, so this arm patches its code on load.
 */
import { readFileSync } from 'node:fs';
import { register } from 'node:module';

const ADVANCE = /static advance\(frame, spanId\) \{/;
const FILE = new URL('tracer.js', import.meta.resolve('@dacapo/tracer'));
if (!ADVANCE.test(readFileSync(FILE, 'utf8')))
  throw new Error('The tracer has no BranchPosition.advance to leave out.');

const hooks = `export async function load(url, context, next) {
  const loaded = await next(url, context);
  return url === ${JSON.stringify(FILE.href)}
    ? { ...loaded, source: String(loaded.source).replace(${String(ADVANCE)}, '$& return undefined;') }
    : loaded;
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
export const { createArm } = await import('./dacapo.mjs');
