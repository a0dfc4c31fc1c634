import { measureInChild, median } from '../tracer/children.mjs';
import { withPrivateHome } from '../private-home.mjs';
import { SILENT } from './silent.mjs';
import { withSink } from './sink/with-sink.mjs';

const CHILD = new URL('./client-child.mjs', import.meta.url).href;
const BARE = 'bare';
const ARMS = [
  'dacapo',
  'dacapo-no-chunks',
  'dacapo-as-peers',
  'context',
  'langfuse',
  'braintrust',
  'langsmith',
  'opik',
];
const NAMES = {
  dacapo: 'Dacapo',
  'dacapo-no-chunks': 'Dacapo with `chunks: false`',
  'dacapo-as-peers': 'Dacapo without chunks and masking',
  context: 'a bare `AsyncLocalStorage`',
  langfuse: 'Langfuse',
  braintrust: 'Braintrust',
  langsmith: 'LangSmith',
  opik: 'Opik',
};
/** Chunks per answer, and requests per process: enough that compilation by the engine is a small part. */
export const ANSWERS = [
  { name: 'whole', label: 'answer of 2 KB', chunks: 0, requests: 4000 },
  { name: 'stream', label: 'stream of 100 chunks', chunks: 100, requests: 2000 },
];

/**
 * CPU µs that each wrapper of OpenAI's client adds to a request until everything is delivered: medians of interleaved rounds, with a fresh
 * process per arm. Ratios are computed within a round, so that a temporary load of the machine does not change them.
 */
export function measureClients(rounds, progress) {
  return withSink({}, async ({ url }) => {
    const samples = new Map();
    for (let round = 1; round <= rounds; round++) {
      progress(`CPU a request of a wrapped client, round ${round} of ${rounds}`);
      const order = round % 2 === 0 ? [BARE, ...ARMS] : [...ARMS, BARE].reverse();
      for (const { name, chunks, requests } of ANSWERS)
        for (const arm of order) {
          const { cpuUsARequest } = await withPrivateHome((env) =>
            measureInChild(CHILD, [arm, chunks, requests, url], { env, stdio: SILENT }),
          );
          const key = `${name} ${arm}`;
          samples.set(key, [...(samples.get(key) ?? []), cpuUsARequest]);
        }
    }
    /** By round. */
    const added = (answer, arm) =>
      samples.get(`${answer} ${arm}`).map((us, round) => us - samples.get(`${answer} ${BARE}`)[round]);
    const toRow = (answer, arm) => {
      const dacapo = added(answer, 'dacapo');
      const own = added(answer, arm);
      return { addedUs: median(own), toDacapo: median(own.map((us, round) => us / dacapo[round])) };
    };
    return ARMS.map((name) => ({
      name: NAMES[name],
      ...Object.fromEntries(ANSWERS.map((answer) => [answer.name, toRow(answer.name, name)])),
    }));
  });
}
