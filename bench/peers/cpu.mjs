import { measureInChild, median } from '../tracer/children.mjs';
import { BASELINE, SUBJECTS } from './peers.mjs';
import { withPrivateHome } from '../private-home.mjs';
import { SILENT } from './silent.mjs';
import { withSink } from './sink/with-sink.mjs';

const SPANS = { A: 20_000, B: 5_000, C: 20_000 };
const ARMS = [BASELINE, ...SUBJECTS];

/** CPU µs per span until everything is delivered: medians of interleaved rounds, with a fresh process per arm. */
export function measureCpu(rounds, progress) {
  const samples = new Map();
  return withSink({}, async ({ url }) => {
    for (let round = 1; round <= rounds; round++) {
      for (const workload of Object.keys(SPANS)) {
        progress(`CPU a span, workload ${workload}, round ${round} of ${rounds}`);
        for (const { name, arm, share } of round % 2 === 0 ? ARMS : [...ARMS].reverse()) {
          const args = [arm, workload, SPANS[workload] * share, url];
          const { cpuUsASpan } = await withPrivateHome((env) =>
            measureInChild('cpu-child.mjs', args, { env, stdio: SILENT }),
          );
          const key = `${workload} ${name}`;
          samples.set(key, [...(samples.get(key) ?? []), cpuUsASpan]);
        }
      }
    }
    return ARMS.map(({ name }) => toRow(name, (workload, of) => median(samples.get(`${workload} ${of}`))));
  });
}

function toRow(name, of) {
  return {
    name,
    ...Object.fromEntries(
      Object.keys(SPANS).map((workload) => [
        workload,
        {
          cpuUsASpan: of(workload, name),
          toSimple: of(workload, name) / of(workload, BASELINE.name),
          toDacapo: of(workload, name) / of(workload, 'Dacapo'),
        },
      ]),
    ),
  };
}
