/**
 * `npm run bench:nestjs [-- --quick] [-- --json] [-- --platform fastify]`: cost of `@Traced` over `withSpan`, and of the module on
 * an untraced route. Arms alternate; ratios are medians of the rounds.
 *
 * `npm run bench:nestjs -- --against <folder>`: compares the request path of this tree with that of another built tree.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { compareRequestPath } from './against.mjs';
import { median } from './median.mjs';
import { measureUntracedRoute } from './untraced-route.mjs';

const quick = process.argv.includes('--quick');
const against = process.argv.indexOf('--against');
if (against !== -1) {
  const tree = process.argv[against + 1];
  if (tree === undefined)
    throw new Error('--against requires the folder of another built tree of this repository.');
  const size = quick ? { launches: 3, slices: 20 } : { launches: 7, slices: 40 };
  console.table(await compareRequestPath(tree, size));
  process.exit();
}
const only = process.argv.indexOf('--platform');
const platforms = only === -1 ? ['express', 'fastify'] : [process.argv[only + 1]];
const child = fileURLToPath(new URL('traced-child.mjs', import.meta.url));

process.stderr.write('· @Traced over withSpan\n');
const { withSpan, traced, ratios } = JSON.parse(execFileSync(process.execPath, [child, quick ? '5' : '41']));
const routes = [];
for (const platform of platforms) {
  process.stderr.write(`· an untraced route on ${platform}\n`);
  routes.push(
    ...(await measureUntracedRoute(platform, quick ? { rounds: 3, seconds: 2 } : { rounds: 20, seconds: 2 })),
  );
}
const result = {
  machine: `${cpus().length} × ${cpus()[0].model}, Node ${process.version}`,
  traced: {
    'withSpan, ns a call': Math.round(median(withSpan)),
    '@Traced, ns a call': Math.round(median(traced)),
    ratio: Number(median(ratios).toFixed(3)),
  },
  routes,
};
if (process.argv.includes('--json')) console.log(JSON.stringify(result, null, 2));
else {
  console.log(result.machine);
  console.table([result.traced]);
  console.table(result.routes);
}
