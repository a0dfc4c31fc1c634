/**
 * Simulates runs to measure how often a gate fails without a change, and how often it detects a real drop.
 *
 *   node bench/statistics/run.mjs [--minutes 6] [--json]
 *
 * Runs for `--minutes`; more minutes mean more simulated runs. Prints Markdown. Build first.
 */
import { parseArgs } from 'node:util';
import { RunTally } from '@dacapo/evaluation';
import { CHANGES, CHANGES_OF, drawPairs, findScale, MEASURES, SESSIONS } from './experiments.mjs';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '6' }, json: { type: 'boolean', default: false } },
});
const SIZES = [5, 6, 8, 10, 14, 20, 50, 100, 200];
const ALLOWED = [0.02, 0.05, 0.1];
const DROPS = [0.01, 0.02, 0.03, 0.05, 0.08, 0.12];
const KINDS = Object.keys(MEASURES);
const NOMINAL = 0.025;
/** Changes that are random even without noise. For others without noise, detection does not depend on chance. */
const WITHOUT_RANDOMNESS = new Set(['some items break', 'more get worse than better', 'every item shrinks']);
const POWER = [
  ['binary', 'some items break', false, 'independent'],
  ['binary', 'some items break', true, 'independent'],
  ['continuous', 'every item shifts', true, 'independent'],
  ['continuous', 'every item shifts', true, 'equal'],
];

const scales = new Map(KINDS.flatMap((kind) => SIZES.map((n) => [`${kind} ${n}`, findScale(kind, n)])));

/** Whether a gate that allows a drop or rise of `allowed` detects a larger one. */
function isAlarm(kind, sessions, { baseline, candidate }, allowed) {
  const tally = new RunTally();
  sessions.forEach((session, itemNo) => {
    const item = { itemNo, verdict: 'changed', divergences: [], scores: [], sessionId: `s${session}` };
    const [before, now] = [baseline[itemNo], candidate[itemNo]];
    if (kind === 'p95') tally.add({ ...item, durationMs: now, originalDurationMs: before, timing: 'paired' });
    else if (kind === 'cost') {
      const calls = { modelCalls: { made: 1 }, originalModelCalls: { made: 1 } };
      tally.add({ ...item, ...calls, usage: { costUsd: now }, originalUsage: { costUsd: before } });
    } else
      tally.add({
        ...item,
        scores: [{ name: 'score', score: now }],
        originalScores: [{ name: 'score', score: before }],
      });
  });
  const maxRise = { maxRise: allowed };
  const { scores, usage, durations } = tally.summarize(
    { cost: { costUsd: maxRise }, p95: { p95Ms: maxRise } }[kind] ?? {
      scores: { score: { maxDrop: allowed } },
    },
  );
  const found = { cost: usage.costUsd?.delta, p95: durations?.p95Delta }[kind] ?? scores.score?.delta;
  if (found?.n !== sessions.length)
    throw new Error(`${kind}: the run does not compare ${sessions.length} items`);
  return found.p <= 2 * NOMINAL;
}

/** One simulated run of a cell. `loss` is the size of the regression. */
function simulate({ kind, structure, n, change, loss, allowed, noise }) {
  const sessions = SESSIONS[structure](n);
  const pairs = drawPairs(MEASURES[kind], sessions, noise);
  const scale = scales.get(`${kind} ${n}`);
  if (change !== undefined) pairs.candidate = CHANGES[change](pairs.candidate, { d: loss, scale, sessions });
  const unit = kind === 'cost' || kind === 'p95' ? scale : 1;
  return isAlarm(kind, sessions, pairs, allowed * unit);
}

const cells = [];
for (const structure of Object.keys(SESSIONS))
  for (const n of SIZES)
    for (const kind of KINDS) {
      const cell = { kind, structure, n, noise: true };
      cells.push({ ...cell, table: 'no change', loss: 0, allowed: 0, weight: 4 });
      for (const change of CHANGES_OF[kind])
        for (const allowed of ALLOWED)
          for (const noise of [true, false])
            if (noise || WITHOUT_RANDOMNESS.has(change))
              cells.push({ ...cell, table: 'boundary', change, noise, loss: allowed, allowed, weight: 1 });
    }
for (const [kind, change, noise, structure] of POWER)
  for (const n of [20, 50, 100, 200])
    for (const loss of DROPS)
      cells.push({ kind, structure, n, change, noise, table: 'power', loss, allowed: 0, weight: 8 });

for (const cell of cells) Object.assign(cell, { runs: 0, alarms: 0 });
const end = Date.now() + Number(values.minutes) * 60_000;
// Small runs are faster, so they are simulated more often.
const countRepeats = ({ n, weight }) => weight * (n <= 10 ? 6 : n <= 20 ? 2 : 1);
let rounds = 0;
for (; rounds < 2 || Date.now() < end; rounds += 1)
  for (const cell of cells)
    for (let run = 0; run < countRepeats(cell); run += 1) {
      cell.runs += 1;
      if (simulate(cell)) cell.alarms += 1;
    }

if (values.json) process.stdout.write(`${JSON.stringify(cells)}\n`);

/** The rate of several cells in percent; each cell has the same weight. */
function pool(some) {
  const rates = some.map(({ runs, alarms }) => alarms / runs);
  const rate = rates.reduce((sum, one) => sum + one, 0) / some.length;
  const variance = some.reduce((sum, { runs }) => sum + (rate * (1 - rate)) / runs, 0) / some.length ** 2;
  return {
    rate: 100 * rate,
    error: 100 * Math.sqrt(variance),
    runs: some.reduce((sum, { runs }) => sum + runs, 0),
  };
}
const show = (some) => {
  if (some.length === 0) return '–';
  const { rate, error } = pool(some);
  return `${rate.toFixed(1)} ± ${error.toFixed(1)}`;
};
const print = (head, rows) => {
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  process.stdout.write(`\n${lines.join('\n')}\n`);
};
const GROUPS = [
  ['5 to 10 items', (n) => n <= 10],
  ['14 and 20', (n) => n > 10 && n <= 20],
  ['50 to 200', (n) => n > 20],
];
const of = (table) => cells.filter((cell) => cell.table === table);

const unchanged = of('no change');
print(
  ['No change, % (± one standard error)', ...GROUPS.map(([name]) => name), 'all'],
  KINDS.map((kind) => {
    const some = unchanged.filter((cell) => cell.kind === kind);
    return [kind, ...GROUPS.map(([, holds]) => show(some.filter(({ n }) => holds(n)))), show(some)];
  }),
);
print(
  ['No change, %', ...Object.keys(SESSIONS)],
  SIZES.map((n) => [
    `${n} items`,
    ...Object.keys(SESSIONS).map((structure) =>
      show(unchanged.filter((cell) => cell.n === n && cell.structure === structure)),
    ),
  ]),
);
process.stdout.write(`\nAll cells without a change: ${show(unchanged)} % of ${pool(unchanged).runs} runs.\n`);

const ways = new Map();
for (const cell of of('boundary')) {
  const key = `${cell.kind}, ${cell.change}${cell.noise ? '' : ', without randomness'}`;
  ways.set(key, [...(ways.get(key) ?? []), cell]);
}
print(
  ['At the boundary, %', ...GROUPS.map(([name]) => name), ...ALLOWED.map((d) => `d = ${d}`), 'all'],
  [...ways].map(([name, some]) => [
    name,
    ...GROUPS.map(([, holds]) => show(some.filter(({ n }) => holds(n)))),
    ...ALLOWED.map((d) => show(some.filter(({ allowed }) => allowed === d))),
    show(some),
  ]),
);
const exceptions = [...ways].flatMap(([name, some]) =>
  GROUPS.flatMap(([group, holds]) =>
    Object.keys(SESSIONS).flatMap((structure) => {
      const { rate, error, runs } = pool(
        some.filter((cell) => holds(cell.n) && cell.structure === structure),
      );
      return rate - 2 * error > 150 * NOMINAL
        ? [[name, structure, group, `${rate.toFixed(1)} ± ${error.toFixed(1)}`, runs]]
        : [];
    }),
  ),
);
print(['Above 1.5 × nominal by two standard errors', 'sessions', 'items', '%', 'runs'], exceptions);

print(
  ['A real drop is found, %', 'items', ...DROPS.map((drop) => `${Math.round(100 * drop)} points`)],
  POWER.flatMap(([kind, , noise, structure]) => {
    const some = of('power').filter(
      (cell) => cell.kind === kind && cell.noise === noise && cell.structure === structure,
    );
    return [20, 50, 100, 200].map((n) => [
      `${kind}${noise ? '' : ', without randomness'}, ${structure}`,
      n,
      ...DROPS.map((drop) =>
        Math.round(pool(some.filter((cell) => cell.n === n && cell.loss === drop)).rate),
      ),
    ]);
  }),
);
process.stdout.write(
  `\n${rounds} rounds; standard error of the last table at most ${(50 / Math.sqrt(8 * rounds)).toFixed(0)} points.\n`,
);
