/**
 * How long 100 tests with a cassette each take: reading the file, replaying a call with 20 inner calls, comparing it with the recording.
 * Run `npm run bench:cassettes`.
 */
import { assertMatchesRecording, withCassette } from '@dacapo/testing';
import { Tracer } from '@dacapo/tracer';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CASSETTES = 100;
const INNER_CALLS = 20;
const ROUNDS = 5;

const directory = mkdtempSync(join(tmpdir(), 'dacapo-cassettes-'));
const tracer = new Tracer({ apiKey: '' });
const find = tracer.withSpan('orders.find', async (id, part) => ({ id, part, text: 'late '.repeat(100) }));
const answer = tracer.withSpan('desk.answer', async (id) => {
  const parts = [];
  for (let part = 0; part < INNER_CALLS; part++) parts.push(await find(id, part));
  return parts.length;
});

try {
  delete process.env.CI;
  const names = Array.from({ length: CASSETTES }, (_, n) => `desk/${n}`);
  for (const name of names) await withCassette(name, { directory, mode: 'record' }, () => answer(name));
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    for (const name of names)
      await withCassette(name, { directory }, () => assertMatchesRecording(answer(name)));
    rounds.push(performance.now() - startedAt);
  }
  const shown = rounds.map((ms) => `${ms.toFixed(0)} ms`).join(', ');
  console.log(
    `${CASSETTES} cassettes with ${INNER_CALLS} inner calls each: ${shown} (the first round is a cold start)`,
  );
} finally {
  rmSync(directory, { recursive: true });
}
