import {
  type ComparedItem,
  PAIR_RELATIONS,
  type PairRelation,
  type TestRunItemSummary,
} from '@dacapo/protocol';
import fc from 'fast-check';
import { pairItems, relationOf, type SourcedItem, sourceOfItem } from './pair-items.js';

type Outcome = Pick<TestRunItemSummary, 'verdict' | 'fixed' | 'failing_as_before' | 'accepted'>;

const item = (outcome: Outcome, item_no = 0): TestRunItemSummary => ({ item_no, ...outcome });
const FIXED: Outcome = { verdict: 'changed', fixed: true };
const SAME: Outcome = { verdict: 'same' };
const CHANGED: Outcome = { verdict: 'changed' };
const FAILED: Outcome = { verdict: 'error' };
const FAILS_AS_BEFORE: Outcome = { verdict: 'same', failing_as_before: true };
const ACCEPTED: Outcome = { verdict: 'same', accepted: true };
const UNKNOWN: Outcome = { verdict: 'unknown' };

describe('relationOf', () => {
  it.each<[string, Outcome, Outcome, PairRelation]>([
    ['same beside changed', SAME, CHANGED, 'improved'],
    ['same beside a failure', SAME, FAILED, 'improved'],
    ['changed beside a failure', CHANGED, FAILED, 'improved'],
    ['fixed beside what fails as before', FIXED, FAILS_AS_BEFORE, 'improved'],
    ['accepted beside changed', ACCEPTED, CHANGED, 'improved'],
    ['changed beside same', CHANGED, SAME, 'regressed'],
    ['a failure beside same', FAILED, SAME, 'regressed'],
    ['a failure beside changed', FAILED, CHANGED, 'regressed'],
    ['what fails as before beside fixed', FAILS_AS_BEFORE, FIXED, 'regressed'],
    ['same beside accepted', SAME, ACCEPTED, 'both_same'],
    ['changed beside changed', CHANGED, CHANGED, 'both_changed'],
    ['fixed beside fixed', FIXED, FIXED, 'both_changed'],
    ['a failure beside a failure', FAILED, FAILED, 'both_failed'],
    ['unknown beside same', UNKNOWN, SAME, 'unknown'],
    ['a failure beside unknown', FAILED, UNKNOWN, 'unknown'],
    ['unknown beside unknown', UNKNOWN, UNKNOWN, 'unknown'],
  ])('of %s', (_, here, there, expected) => {
    expect(relationOf(item(here), item(there))).toBe(expected);
  });
});

describe('sourceOfItem', () => {
  const call = { source_trace_id: 't', source_span_id: 's' };

  it('is the call and the repetition, wherever the item stands', () => {
    const first = sourceOfItem({ ...item(SAME, 1), ...call }, undefined);
    expect(sourceOfItem({ ...item(CHANGED, 7), ...call }, undefined)).toBe(first);
    expect(sourceOfItem({ ...item(SAME, 1), ...call, repetition: 0 }, undefined)).toBe(first);
    expect(sourceOfItem({ ...item(SAME, 1), ...call, repetition: 1 }, undefined)).not.toBe(first);
  });

  it('is the item of a dataset, whatever call it was copied from', () => {
    const first = sourceOfItem({ ...item(SAME), ...call }, 'd-1');
    expect(sourceOfItem(item(SAME, 4), 'd-1')).toBe(first);
    expect(sourceOfItem({ ...item(SAME), ...call }, 'd-2')).not.toBe(first);
  });

  it('is number and input of an item of a list', () => {
    const first = sourceOfItem({ ...item(SAME, 2), input_preview: '["a"]' }, undefined);
    expect(sourceOfItem({ ...item(FAILED, 2), input_preview: '["a"]' }, undefined)).toBe(first);
    expect(sourceOfItem({ ...item(SAME, 3), input_preview: '["a"]' }, undefined)).not.toBe(first);
    expect(sourceOfItem({ ...item(SAME, 2), input_preview: '["b"]' }, undefined)).not.toBe(first);
  });
});

const outcomes = fc.constantFrom(FIXED, SAME, CHANGED, FAILED, FAILS_AS_BEFORE, ACCEPTED, UNKNOWN);
/** Few sources, so that runs meet, miss each other, and play one twice. */
const runs = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), outcomes), { maxLength: 12 })
  .map((played) =>
    played.map(([source, outcome], item_no): SourcedItem => ({ source, item: item(outcome, item_no) })),
  );

const MIRROR: Partial<Record<PairRelation, PairRelation>> = {
  ...{ improved: 'regressed', regressed: 'improved' },
  ...{ only_here: 'only_there', only_there: 'only_here' },
};
const mirrored = ({ relation, here, there }: ComparedItem): ComparedItem => ({
  relation: MIRROR[relation] ?? relation,
  ...(there && { here: there }),
  ...(here && { there: here }),
});
const asText = (pairs: readonly ComparedItem[]): string[] =>
  pairs.map(({ relation, here, there }) => JSON.stringify([relation, here ?? null, there ?? null])).sort();

describe('pairItems', () => {
  it('sets what played the same beside each other, and tells what one run alone has', () => {
    const here = [
      { source: 'a', item: item(SAME, 0) },
      { source: 'new', item: item(SAME, 1) },
    ];
    const there = [
      { source: 'old', item: item(FAILED, 0) },
      { source: 'a', item: item(CHANGED, 1) },
    ];
    expect(pairItems(here, there)).toEqual([
      { relation: 'improved', here: item(SAME, 0), there: item(CHANGED, 1) },
      { relation: 'only_here', here: item(SAME, 1) },
      { relation: 'only_there', there: item(FAILED, 0) },
    ]);
  });

  it('pairs what was played several times in its order, and leaves over what one run played more often', () => {
    const twice = [SAME, FAILED].map((outcome, no) => ({ source: 'a', item: item(outcome, no) }));
    const once = [{ source: 'a', item: item(SAME, 5) }];
    expect(pairItems(twice, once).map(({ relation }) => relation)).toEqual(['both_same', 'only_here']);
    expect(pairItems(once, twice).map(({ relation }) => relation)).toEqual(['both_same', 'only_there']);
  });

  it('finds nothing better, worse or missing in a run beside itself', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const alike: PairRelation[] = ['both_same', 'both_changed', 'both_failed', 'unknown'];
        const pairs = pairItems(run, run);
        expect(pairs).toHaveLength(run.length);
        for (const { relation, here, there } of pairs) {
          expect(alike).toContain(relation);
          expect(here).toBe(there);
        }
      }),
    );
  });

  it('says the mirror image of two runs that change places', () => {
    fc.assert(
      fc.property(runs, runs, (here, there) => {
        expect(asText(pairItems(there, here))).toEqual(asText(pairItems(here, there).map(mirrored)));
      }),
    );
  });

  it('has every item of both runs once', () => {
    fc.assert(
      fc.property(runs, runs, (here, there) => {
        const pairs = pairItems(here, there);
        const of = (side: 'here' | 'there') => pairs.flatMap((pair) => pair[side] ?? []);
        expect(of('here')).toEqual(here.map((sourced) => sourced.item));
        expect(new Set(of('there'))).toEqual(new Set(there.map((sourced) => sourced.item)));
        expect(of('there')).toHaveLength(there.length);
        for (const { relation } of pairs) expect(PAIR_RELATIONS).toContain(relation);
      }),
    );
  });
});
