import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SUBJECTS } from './peers.mjs';
import { withPrivateHome } from '../private-home.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { SILENT } from './silent.mjs';
import { withSink } from './sink/with-sink.mjs';

const PROGRAM = fileURLToPath(new URL('./delivery-child.mjs', import.meta.url));
/** If nothing arrives for this long after the flush, missing spans are lost. */
const QUIET_MS = 12_000;
const QUIET_AFTER_EXIT_MS = 2000;
const LONGEST_MS = 180_000;

/** Number of recorded spans that arrive, per subject and scenario. */
export async function measureDelivery(progress) {
  const rows = [];
  for (const { name, arm } of SUBJECTS) {
    const delivered = {};
    for (const scenario of SCENARIOS) {
      progress(`delivery, ${name}: ${scenario.name}`);
      delivered[scenario.name] = await deliveredIn(scenario, arm);
    }
    rows.push({ name, delivered });
  }
  return rows;
}

function deliveredIn(scenario, arm) {
  return withSink({ counting: true }, (sink) =>
    withPrivateHome(async (env) => {
      const first = await run(scenario, arm, sink, env, scenario.exit ? 'exit' : 'flush');
      // A spool can be delivered by the next process of the same application.
      if (!scenario.exit || first === scenario.spans) return { spans: scenario.spans, first };
      return { spans: scenario.spans, first, nextStart: await run(scenario, arm, sink, env, 'resume') };
    }),
  );
}

async function run({ spans, spansASecond, outage }, arm, sink, env, ending) {
  const args = [arm, spans, spansASecond, sink.url, ending].map(String);
  const child = fork(PROGRAM, args, { env: { ...process.env, ...env }, stdio: SILENT });
  let done = false;
  child.on('exit', () => (done = true));
  child.on('message', (message) => (done ||= message === 'flushed'));
  if (ending !== 'resume') {
    await Promise.race([once(child, 'message'), once(child, 'exit')]);
    if (outage) void endLater(sink, await begin(sink, outage));
    if (child.connected) child.send('go');
  }
  const quietMs = ending === 'exit' ? QUIET_AFTER_EXIT_MS : QUIET_MS;
  const delivered = await settled(sink, spans, quietMs, () => done);
  child.kill('SIGKILL');
  return delivered;
}

async function begin(sink, outage) {
  await sink.become(outage.behaviour);
  return outage;
}

async function endLater(sink, outage) {
  await sleep(outage.ms);
  await sink.become('healthy');
}

async function settled(sink, spans, quietMs, isDone) {
  const start = performance.now();
  let delivered = 0;
  let changed = start;
  for (;;) {
    await sleep(250);
    const now = await sink.delivered();
    if (now !== delivered || !isDone()) changed = performance.now();
    delivered = now;
    const time = performance.now();
    if (delivered === spans || time - changed > quietMs || time - start > LONGEST_MS) return delivered;
  }
}
