/**
 * Compares SQLite, PostgreSQL and ClickHouse: ingest, CPU, disk and twelve reads, in one table with goals.
 *
 *   npm run bench:engines -- [--spans 1000000] [--rounds 60] [--engines sqlite,postgres,clickhouse] [--clients 8] [--minutes <number>]
 *     [--json]
 *
 * The engines receive the same batches over HTTP, in turns. Time ends with the response to the last batch of a turn; CPU time also
 * includes the engine's background work after that. Each read runs once per round on each engine, with new parameters, and the answers
 * are compared. At the end, one and two collectors on PostgreSQL store a tenth of the spans each, at most 100,000, in turns.
 *
 * `--clients` is the number of requests at a time. With `--minutes`, no turn starts after that time, and reads use what is stored then. An
 * engine that fails is reported, and the others continue; the exit code is then 1. Progress and figures of each turn go to stderr.
 *
 * ClickHouse is its engine as a library, which runs one statement at a time, or the server at DACAPO_TEST_CLICKHOUSE, whose CPU time is
 * unknown. Needs Linux and PostgreSQL's `initdb`.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { makeBatches } from '../collector/build-database.mjs';
import { buildReads } from '../collector/reads.mjs';
import { waitUntilIdle } from './cpu.mjs';
import { Arm, ClickHouse, Postgres } from './engines.mjs';
import { buildReport, METRICS_READ, toMarkdown } from './report.ts';

const BATCH_SIZE = 500;
const FEWEST_TURNS = 10;
/** A turn is in memory. */
const MOST_SPANS_IN_A_TURN = 100_000;
const PAIR_TURNS = 5;
const MOST_PAIR_SPANS = 100_000;

const READS = [
  'traces',
  'traces, a later page',
  'traces, key',
  'traces, session',
  'traces, error',
  'traces, customer',
  'traces, text of one',
  'traces, text of all',
  'traces, by duration',
  'calls of a key',
  'one trace',
  METRICS_READ,
];

const { values } = parseArgs({
  options: {
    spans: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '60' },
    engines: { type: 'string', default: 'sqlite,postgres,clickhouse' },
    clients: { type: 'string', default: '8' },
    minutes: { type: 'string', default: 'Infinity' },
    json: { type: 'boolean', default: false },
  },
});
const count = Number(values.spans);
const clients = Number(values.clients);
const loadUntil = performance.now() + Number(values.minutes) * 60_000;
const names = values.engines.split(',');
const note = (text) => process.stderr.write(`· ${new Date().toISOString().slice(11, 19)} ${text}\n`);

let postgres;
let clickhouse;
const START = {
  sqlite: () => Arm.start({}, { clients }),
  postgres: async () => (postgres ??= await Postgres.start()).startArm({ clients }),
  clickhouse: async () => (clickhouse ??= await ClickHouse.start()).startArm({ clients }),
};
for (const name of names) if (!Object.hasOwn(START, name)) throw new Error(`Unknown engine ${name}.`);

/** Why an engine takes no further part. */
const failures = {};
const arms = {};
/** Runs one step on each engine, one after the other. An engine that fails takes part in no later step. */
async function inTurns(of, order, step) {
  for (const name of order) {
    if (of[name] === undefined) continue;
    try {
      await step(name, of[name]);
    } catch (error) {
      note(`${name} failed: ${error.stack}`);
      failures[name] = error.message;
      await of[name].kill();
      delete of[name];
    }
  }
}
for (const name of names) {
  try {
    arms[name] = await START[name]();
  } catch (error) {
    note(`${name} did not start: ${error.stack}`);
    failures[name] = error.message;
  }
}

const stored = await ingestInTurns(arms, count, FEWEST_TURNS);
const ingest = {};
await inTurns(arms, names, async (name, arm) => {
  ingest[name] = { ...summarizeIngest(stored[name]), diskMb: (await arm.readDiskBytes()) / 1e6 };
});
const { reads, differing } = await readInTurns(arms);
await inTurns(arms, names, (name, arm) => arm.close());

let cpuRatio;
if (postgres !== undefined) {
  const pair = {};
  try {
    pair.one = await postgres.startArm({ clients });
    pair.two = await postgres.startArm({ clients, count: 2 });
    const turns = await ingestInTurns(pair, Math.min(MOST_PAIR_SPANS, count / 10), PAIR_TURNS);
    const cpu = (turn) => (turn.collectors + turn.server) / turn.spans;
    const ratios = turns.two.map((turn, n) => cpu(turn) / cpu(turns.one[n]));
    cpuRatio = findRank(ratios, 0.5);
  } catch (error) {
    note(`One and two collectors failed: ${error.stack}`);
    failures['one and two collectors'] = error.message;
  }
  await inTurns(pair, Object.keys(pair), (name, arm) => arm.close());
}
await postgres?.stop();
await clickhouse?.stop();

const head = {
  date: new Date().toISOString(),
  spans: count,
  clients,
  node: process.version,
  cpu: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  load: Number(loadavg()[0].toFixed(1)),
};
if (values.json) {
  process.stdout.write(`${JSON.stringify({ ...head, ingest, cpuRatio, reads, differing, failures })}\n`);
} else {
  console.log(JSON.stringify(head));
  console.log(toMarkdown(names, buildReport({ engines: names, ingest, reads, cpuRatio })));
  console.log(`Answers that differ from those of ${Object.keys(arms)[0]}: ${JSON.stringify(differing)}`);
  for (const [name, message] of Object.entries(failures)) console.log(`Failed: ${name}: ${message}`);
}
process.exitCode = Object.keys(failures).length === 0 ? 0 : 1;

/** Stores the same spans on every engine. The engines take turns, one chunk each. @returns by engine, the figures of its chunks */
async function ingestInTurns(of, spans, fewestTurns) {
  const spansInTurn = Math.min(MOST_SPANS_IN_A_TURN, Math.ceil(spans / fewestTurns));
  const batchesInTurn = Math.ceil(spansInTurn / BATCH_SIZE);
  const turns = Math.ceil(spans / BATCH_SIZE / batchesInTurn);
  const taken = Object.fromEntries(Object.keys(of).map((name) => [name, []]));
  let bodies = [];
  let turn = 0;
  const take = async () => {
    turn++;
    await inTurns(of, rotate(Object.keys(taken), turn), async (name, arm) => {
      const before = arm.readCpu();
      const figures = await sendAll(arm, bodies);
      // A single engine disturbs no other one with its background work.
      const isLast = turn === turns || performance.now() >= loadUntil;
      if (Object.keys(of).length > 1 || isLast) await waitUntilIdle(arm.pids);
      const after = arm.readCpu();
      figures.collectors = after.collectors - before.collectors;
      figures.server = after.server - before.server;
      taken[name].push(figures);
      const rate = Math.round(figures.spans / figures.seconds);
      note(`${name}: turn ${turn} of ${turns}, ${figures.spans} spans, ${rate} spans/s`);
    });
    bodies = [];
  };
  for (const batch of makeBatches(spans)) {
    bodies.push(toBody(batch));
    if (bodies.length < batchesInTurn) continue;
    await take();
    if (performance.now() < loadUntil) continue;
    note(`Stopped loading after ${values.minutes} minutes`);
    break;
  }
  if (bodies.length > 0) await take();
  return taken;
}

async function sendAll(arm, bodies) {
  const sender = process.cpuUsage();
  const start = performance.now();
  await arm.send(bodies);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(sender);
  return { spans: bodies.length * BATCH_SIZE, seconds, sender: (user + system) / 1e6 };
}

/** Sends the same reads to each arm, and counts the answers that differ from those of the first arm. */
async function readInTurns(of) {
  const asked = {};
  await inTurns(of, Object.keys(of), async (name, arm) => {
    asked[name] = await buildReads(arm.client);
    // Statements are not prepared yet, and some reads look up what they start from.
    for (const read of READS) await asked[name][read](0);
  });
  const taken = Object.fromEntries(READS.map((read) => [read, {}]));
  const differing = {};
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const read of READS) {
      const answers = {};
      await inTurns(of, rotate(Object.keys(of), round), async (name) => {
        const start = performance.now();
        const answer = await asked[name][read](round);
        (taken[read][name] ??= []).push(performance.now() - start);
        answers[name] = summarizeAnswer(answer);
      });
      const [first, ...others] = Object.keys(of);
      for (const name of others) {
        if (answers[name] === answers[first]) continue;
        differing[`${name}: ${read}`] = (differing[`${name}: ${read}`] ?? 0) + 1;
      }
    }
    if (round % 10 === 0) note(`${round} of ${values.rounds} rounds of reads`);
  }
  const summarize = (ms) => ({ p50: findRank(ms, 0.5), p95: findRank(ms, 0.95) });
  const reads = Object.fromEntries(
    READS.map((read) => [
      read,
      Object.fromEntries(Object.entries(taken[read]).map(([name, ms]) => [name, summarize(ms)])),
    ]),
  );
  return { reads, differing };
}

/** The part of an answer that does not depend on the engine. */
function summarizeAnswer({ items, id, spans }) {
  if (items === undefined) return JSON.stringify([id, spans.map((span) => span.id)]);
  if (items[0]?.calls !== undefined) return String(items.reduce((sum, { calls }) => sum + calls, 0));
  return JSON.stringify(items.map((item) => [item.id, item.trace_id, item.span_id]));
}

function summarizeIngest(turns) {
  const sum = (field) => turns.reduce((total, turn) => total + turn[field], 0);
  const perSpan = (field) => (sum(field) / sum('spans')) * 1e6;
  return {
    spans: sum('spans'),
    perSecond: sum('spans') / sum('seconds'),
    collectors: perSpan('collectors'),
    server: perSpan('server'),
    sender: perSpan('sender'),
  };
}

function toBody({ spans, scores }) {
  const lines = [...spans.map((span) => ({ span })), ...scores.map((score) => ({ score }))];
  return Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
}

/** Rotates the arms, so that none is always the first. */
function rotate(list, by) {
  return list.map((_, place) => list[(place + by) % list.length]);
}

/** The nearest rank. */
function findRank(numbers, share) {
  return numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length * share) - 1];
}
