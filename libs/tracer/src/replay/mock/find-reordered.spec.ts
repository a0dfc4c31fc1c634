import fc from 'fast-check';
import type { RecordedDescendant } from '@dacapo/protocol';
import { findReordered } from './find-reordered.js';
import type { MadeCall } from './made-call.js';
import type { RecordedNode } from './recorded-tree.js';

const node = (parent: RecordedNode | undefined, call?: RecordedDescendant): RecordedNode => ({
  ...{ call, parent, path: [], args: undefined, isTaken: true },
});
const made = (spanId: string, parent: MadeCall | undefined, source: RecordedNode | undefined): MadeCall => ({
  ...{
    spanId,
    type: 'function',
    usage: undefined,
    hasFailed: false,
    parent,
    path: [],
    args: undefined,
    isUnseen: false,
    source,
  },
  ...{ isLookedUp: true, hasOtherArguments: false, isMocked: false, isLive: false, unanswerable: undefined },
});
const root = node(undefined);
const played = made('played', undefined, root);
/** A call that was recorded from one microsecond to another. */
const ran = (startUs: number, endUs: number, parent = played): MadeCall =>
  made(
    `${startUs}`,
    parent,
    node(parent.source, {
      started_at: `2026-01-01T00:00:00.${String(startUs).padStart(6, '0')}Z`,
      duration_ms: (endUs - startUs) / 1000,
    } as RecordedDescendant),
  );
const idsOf = (calls: readonly MadeCall[]): string[] => calls.map(({ spanId }) => spanId);

describe('calls that changed their turn', () => {
  it('are the fewest that explain it', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(40), { maxLength: 8 }), (starts) => {
        const calls = starts.map((start) => ran(start * 10, start * 10 + 5));
        const reordered = findReordered(calls);
        const rest = starts.filter((start) => !idsOf(reordered).includes(`${start * 10}`));
        expect(rest).toEqual(rest.toSorted((a, b) => a - b));
        let most = 0;
        for (let chosen = 0; chosen < 2 ** starts.length; chosen++) {
          const some = starts.filter((_, index) => (chosen >> index) % 2 === 1);
          if (some.every((start, index) => index === 0 || some[index - 1]! < start))
            most = Math.max(most, some.length);
        }
        expect(rest).toHaveLength(most);
      }),
    );
  });

  it('are none of those that ran at one time, as far as the times tell', () => {
    expect(idsOf(findReordered([ran(20, 40), ran(10, 30)]))).toEqual([]);
    expect(idsOf(findReordered([ran(20, 40), ran(10, 20)]))).toEqual(['20']);
    expect(idsOf(findReordered([ran(20, 40), ran(10, 19)], 1))).toEqual(['20']);
    expect(idsOf(findReordered([ran(20, 40), ran(10, 19)], 2))).toEqual([]);
    expect(idsOf(findReordered([ran(10, 10), ran(10, 10)]))).toEqual([]);
    expect(idsOf(findReordered([ran(30, 35), ran(40, 45), ran(20, 100)]))).toEqual([]);
    expect(idsOf(findReordered([ran(30, 35), ran(40, 45), ran(20, 40)]))).toEqual(['20']);
  });

  it('are each before one that had ended when it began, or after one that began when it had ended', () => {
    const times = fc.tuple(fc.nat(6), fc.nat(3)).map(([start, length]) => [start, start + length] as const);
    fc.assert(
      fc.property(fc.array(times, { maxLength: 8 }), (recorded) => {
        const calls = recorded.map(([start, end]) => ran(start, end));
        const reordered = new Set(findReordered(calls));
        const isBefore = (one: number, other: number): boolean =>
          recorded[one]![1] <= recorded[other]![0] && recorded[one]![0] < recorded[other]![0];
        const isAgainst = (one: number, other: number): boolean =>
          one < other ? isBefore(other, one) : isBefore(one, other);
        const indexes = [...calls.keys()];
        for (const at of indexes) {
          const against = indexes.filter((other) => isAgainst(at, other));
          if (reordered.has(calls[at]!)) expect(against).not.toEqual([]);
          else expect(against.filter((other) => !reordered.has(calls[other]!))).toEqual([]);
        }
      }),
    );
  });

  it('are none of two that took no time and began at one moment, whatever ran beside them', () => {
    expect(idsOf(findReordered([ran(10, 10), ran(9, 100), ran(10, 10)]))).toEqual([]);
  });

  it('are looked for among those of one parent, where they were recorded below it', () => {
    const outer = ran(1, 100);
    const inner = ran(2, 100, outer);
    expect(idsOf(findReordered([outer, ran(50, 60, inner), ran(30, 40, outer), ran(10, 20, inner)]))).toEqual(
      ['50'],
    );
    const elsewhere = made('elsewhere', played, node(inner.source, ran(5, 6).source?.call));
    expect(idsOf(findReordered([played, ran(20, 30), elsewhere, made('new', played, undefined)]))).toEqual(
      [],
    );
  });

  it('are none that stand below no call', () => {
    const alone = (startUs: number): MadeCall =>
      made(`${startUs}`, undefined, node(root, ran(startUs, startUs + 5).source?.call));
    expect(findReordered([alone(20), alone(10)])).toEqual([]);
  });
});
