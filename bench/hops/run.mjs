/**
 * `npm run bench:hops [-- --list]`: source files and functions of this repository that one wrapped call runs through, and one replayed
 * call, both after a warm-up, counted by V8's coverage. `--list` prints the files. The goals are 30 and 140 files.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from '@jridgewell/sourcemap-codec';
import { Tracer } from '@dacapo/tracer';
import { ROOT } from '../../scripts/workspace.mjs';
import { withPrivateHome } from '../private-home.mjs';

const CODE = /^file:.*\/libs\/\w+\/dist\/.*\.js$/;
const sources = new Map();

/** Finds the source of a place in a built file. Source maps have one segment a line. */
function findSource(url, offset) {
  if (!sources.has(url)) sources.set(url, readSources(fileURLToPath(url)));
  const { lineStarts, files } = sources.get(url);
  return files[lineStarts.findLastIndex((start) => start <= offset)];
}

function readSources(path) {
  const text = readFileSync(path, 'utf8');
  const { mappings, sources: names } = JSON.parse(readFileSync(`${path}.map`, 'utf8'));
  const lineStarts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  let name;
  const files = decode(mappings).map(([segment]) => {
    if (segment?.length > 1) name = names[segment[1]];
    return name && relative(ROOT, fileURLToPath(new URL(name, `file://${path}`)));
  });
  return { lineStarts, files };
}

/** Runs `work`. Returns the number of functions that ran, by source file. */
async function countFunctions(session, work) {
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const counts = {};
  for (const { url, functions } of result.filter((script) => CODE.test(script.url))) {
    for (const { functionName, ranges } of functions) {
      const [{ startOffset, count }] = ranges;
      // The function without a name at the start of a script is the script.
      if (count === 0 || (startOffset === 0 && functionName === '')) continue;
      const file = findSource(url, startOffset);
      if (file !== undefined) counts[file] = (counts[file] ?? 0) + 1;
    }
  }
  return counts;
}

async function measure(dataDir) {
  const service = fork(new URL('../collector/collector-process.mjs', import.meta.url), [dataDir]);
  const [{ url: serviceUrl, apiKey }] = await once(service, 'message');
  const tracer = new Tracer({ apiKey, serviceUrl });
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  try {
    const answer = async ({ question }) => ({ answer: question.length });
    const traced = tracer.withSpan('hops', answer);
    const replay = () => tracer.replay('hops', answer, { limit: 1 });
    for (let turn = 0; turn < 100; turn++) await traced({ question: `Where is order ${turn}?` });
    const call = await countFunctions(session, () => traced({ question: 'Where is my order?' }));
    await tracer.flush();
    await replay();
    return { 'wrapped call': call, 'replayed call': await countFunctions(session, replay) };
  } finally {
    session.disconnect();
    await tracer.shutdown();
    service.kill();
  }
}

const counted = await withPrivateHome((env) => {
  Object.assign(process.env, env);
  return measure(`${env.HOME}/data`);
});
console.table(
  Object.entries(counted).map(([of, functions]) => ({
    of,
    files: Object.keys(functions).length,
    functions: Object.values(functions).reduce((sum, count) => sum + count, 0),
  })),
);
if (process.argv.includes('--list'))
  for (const [of, functions] of Object.entries(counted))
    console.log(
      `\n${of}\n${Object.entries(functions)
        .map(([file, count]) => `${count} ${file}`)
        .sort((a, b) => Number.parseInt(b) - Number.parseInt(a))
        .join('\n')}`,
    );
process.exit(0);
