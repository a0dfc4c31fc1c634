/** Cost of a call through a disabled tracer, compared with the bare call, in ns. */
import { Tracer } from '@dacapo/tracer';

const CALLS = 5_000_000;
const work = (n) => n + 1;
const traced = new Tracer({ apiKey: 'bench', enabled: false }).withSpan('k', work);

function timeNs(fn) {
  let sum = 0;
  const start = process.hrtime.bigint();
  for (let i = 0; i < CALLS; i++) sum = fn(sum & 0xff);
  return Number(process.hrtime.bigint() - start) / CALLS + (sum === -1 ? 1 : 0);
}

const rounds = Array.from({ length: 7 }, () => ({ bare: timeNs(work), off: timeNs(traced) }));
const added = rounds.map(({ bare, off }) => off - bare).sort((a, b) => a - b)[3];
process.send({ addedNs: added }, () => process.exit(0));
