// Compares capture with JSON.stringify of the same values, each including the write to a UTF-8 buffer, in nanoseconds.
// Interleaved rounds; medians, and their ratio. Build first (`npm run build`). `--json` prints JSON.
import { Capturer } from '../../.cache/tsc/tracer/capture/capturer.js';
import { chat, document } from './values.mjs';

const ROUNDS = 60;
const ROUND_MS = 4;

const ticket = (turn) => ({
  id: turn,
  text: 'Where is my order? It was due on Monday and the page says nothing.',
  tags: ['order', 'late'],
  customer: { id: 'c-1042', plan: 'basic' },
  priority: 2,
});
const VALUES = {
  'A: arguments, 200 B': () => [ticket(7)],
  'B: messages, 4 KB': () => [{ model: 'm', temperature: 0.2, messages: chat() }],
  'B: answer, 2 KB': () => document(),
  'C: arguments, 500 B': () => [
    {
      turn: 1,
      step: 2,
      note: 'x'.repeat(180),
      items: [1, 2, 3, 4, 5],
      owner: { name: 'support', queue: 'billing' },
    },
  ],
  'records of 500 B, many small objects': () => [
    {
      ...ticket(8),
      history: [1, 2, 3].map((day) => ({ at: `2026-01-0${day}T10:00:00.000Z`, what: 'answered', by: 'ada' })),
    },
  ],
  'messages with undefined and a date': () => [
    { model: 'm', seed: undefined, at: new Date(0), messages: chat() },
  ],
};

const sink = Buffer.allocUnsafe(1 << 20);
const capturer = new Capturer();
const arms = {
  stringify: (value) => sink.write(JSON.stringify(value), 0),
  capture: (value) => sink.write(capturer.capture(value).utf8, 0, 'latin1'),
};

function measureNanoseconds(arm, make, turns) {
  const values = Array.from({ length: turns }, make);
  const start = process.hrtime.bigint();
  for (const value of values) arm(value);
  return Number(process.hrtime.bigint() - start) / turns;
}

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

const rows = Object.entries(VALUES).map(([name, make]) => {
  const times = { stringify: [], capture: [] };
  const turns = Math.ceil((ROUND_MS * 1e6) / measureNanoseconds(arms.stringify, make, 2000));
  for (let round = -10; round < ROUNDS; round++) {
    for (const [arm, run] of Object.entries(arms)) {
      const time = measureNanoseconds(run, make, turns);
      if (round >= 0) times[arm].push(time);
    }
  }
  const [stringify, capture] = [median(times.stringify), median(times.capture)];
  return {
    name,
    stringify_ns: Math.round(stringify),
    capture_ns: Math.round(capture),
    ratio: Number((capture / stringify).toFixed(2)),
  };
});

if (process.argv.includes('--json')) console.log(JSON.stringify(rows));
else console.table(rows);
