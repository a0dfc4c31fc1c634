import type { RecordedCallTree } from '@dacapo/protocol';
import fc from 'fast-check';
import type { Baseline } from './item-baseline.js';
import type { PlannedItem } from './planned-item.js';
import { baselineHash } from './score-sides.js';

/** What evaluators see of a baseline, as it is stored. */
const SEEN = {
  call: {
    trace_id: 'trace',
    span_id: 'span',
    status: 'ok',
    output: { text: 'billing' },
    error: { message: 'none' },
    meta: { output: { redacted: ['/0/name'], truncated: { '/text': 5 } } },
  },
  stored: { id: 'example', input: ['charged'], meta: { input: { redacted: ['/0'] } } },
  expected: { stored: { output: 'billing', meta: { output: { types: { '': 'Date' } } } } },
  metadata: { tier: 'gold' },
  compared: { kind: 'accepted', stored: { output: 'refund', meta: { output: { replayable: true } } } },
  earlier: {
    stored: [{ span_id: 'inside', input: ['late'], output: 'found', meta: { types: 'none' } }],
    usage: { inputTokens: 5 },
  },
};
type Seen = typeof SEEN;

const hashSeen = ({ call, stored, expected, metadata, ...baseline }: Seen): string | undefined =>
  baselineHash(
    { call: call as unknown as RecordedCallTree, stored, expected, metadata } as unknown as PlannedItem,
    baseline as unknown as Baseline,
  );

/** Where each text and number is. */
function listLeaves(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, part]) => listLeaves(part, [...path, name]));
}

function changed(path: readonly string[], to: unknown): Seen {
  const copy = structuredClone(SEEN);
  let at = copy as unknown as Record<string, unknown>;
  for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>;
  at[path.at(-1) ?? ''] = to;
  return copy;
}

describe('the hash of the baseline that evaluators receive', () => {
  it('is that of equal records', () => {
    expect(hashSeen(structuredClone(SEEN))).toBe(hashSeen(SEEN));
    expect(hashSeen(SEEN)).toMatch(/^[\da-f]{64}$/);
  });

  it.each(listLeaves(SEEN).map((path) => [path.join('.'), path]))('changes with %s', (_, path) => {
    expect(hashSeen(changed(path, 'other'))).not.toBe(hashSeen(SEEN));
    expect(hashSeen(changed(path, undefined))).not.toBe(hashSeen(SEEN));
  });

  it('is that of no other records', () => {
    const change = fc.tuple(fc.constantFrom(...listLeaves(SEEN)), fc.oneof(fc.string(), fc.integer()));
    fc.assert(
      fc.property(change, change, ([one, value], [other, otherValue]) => {
        const [left, right] = [changed(one, value), changed(other, otherValue)];
        expect(hashSeen(left) === hashSeen(right)).toBe(JSON.stringify(left) === JSON.stringify(right));
      }),
    );
  });

  it('is undefined for an outcome that ran in this process', () => {
    const { earlier, ...others } = SEEN;
    expect(hashSeen({ ...others, earlier: { usage: earlier.usage } as Seen['earlier'] })).toBeUndefined();
  });
});
