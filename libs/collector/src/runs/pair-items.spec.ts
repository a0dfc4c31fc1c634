import type { PairRelation, TestRunItemSummary } from '@dacapo/protocol';
import fc from 'fast-check';
import type { Likeness } from './outcome-likeness.js';
import { type ItemPair, pairItems, relationOf, type SourcedItem, sourceOfItem } from './pair-items.js';

type Outcome = Pick<TestRunItemSummary, 'verdict' | 'fixed' | 'failing_as_before' | 'accepted'>;

const item = (outcome: Outcome, item_no = 0): TestRunItemSummary => ({ item_no, ...outcome });
const FIXED: Outcome = { verdict: 'changed', fixed: true };
const SAME: Outcome = { verdict: 'same' };
const CHANGED: Outcome = { verdict: 'changed' };
const FAILED: Outcome = { verdict: 'error' };
const FAILS_AS_BEFORE: Outcome = { verdict: 'same', failing_as_before: true };
const ACCEPTED: Outcome = { verdict: 'same', accepted: true };
const UNKNOWN: Outcome = { verdict: 'unknown' };

const outcomes = fc.constantFrom(FIXED, SAME, CHANGED, FAILED, FAILS_AS_BEFORE, ACCEPTED, UNKNOWN);
const likenesses = fc.constantFrom<Likeness>('same', 'different', 'unknown');
/** Few sources, so that runs meet, miss each other, and play one twice. */
const runs = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), outcomes), { maxLength: 12 })
  .map((played) =>
    played.map(([source, outcome], item_no): SourcedItem => ({ source, item: item(outcome, item_no) })),
  );

const MIRROR: Partial<Record<PairRelation, PairRelation>> = { improved: 'regressed', regressed: 'improved' };

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
    ['same beside accepted', SAME, ACCEPTED, 'other_outcome'],
    ['changed beside changed', CHANGED, CHANGED, 'other_outcome'],
    ['fixed beside fixed', FIXED, FIXED, 'other_outcome'],
    ['a failure beside another', FAILED, FAILED, 'other_outcome'],
    ['unknown beside same', UNKNOWN, SAME, 'other_outcome'],
    ['a failure beside unknown', FAILED, UNKNOWN, 'other_outcome'],
    ['unknown beside unknown', UNKNOWN, UNKNOWN, 'other_outcome'],
  ])('of %s, where the runs gave different outcomes', (_, here, there, expected) => {
    expect(relationOf({ here: item(here), there: item(there) }, 'different')).toBe(expected);
  });

  it.each<[string, Outcome, Outcome, PairRelation]>([
    ['same beside same', SAME, SAME, 'same_outcome'],
    ['same beside accepted', SAME, ACCEPTED, 'same_outcome'],
    ['changed beside changed', CHANGED, CHANGED, 'same_outcome'],
    ['a failure beside a failure', FAILED, FAILED, 'same_outcome'],
    ['unknown beside unknown', UNKNOWN, UNKNOWN, 'same_outcome'],
    ['changed beside accepted', CHANGED, ACCEPTED, 'judged_otherwise'],
    ['accepted beside changed', ACCEPTED, CHANGED, 'judged_otherwise'],
    ['a failure beside what fails as before', FAILED, FAILS_AS_BEFORE, 'judged_otherwise'],
    ['fixed beside changed', FIXED, CHANGED, 'judged_otherwise'],
    ['unknown beside same', UNKNOWN, SAME, 'judged_otherwise'],
  ])('of %s, where the runs gave the same outcome', (_, here, there, expected) => {
    expect(relationOf({ here: item(here), there: item(there) }, 'same')).toBe(expected);
  });

  it('is never better or worse where the outcomes are the same, or cannot be compared', () => {
    fc.assert(
      fc.property(outcomes, outcomes, (here, there) => {
        const pair = { here: item(here), there: item(there) };
        expect(['same_outcome', 'judged_otherwise']).toContain(relationOf(pair, 'same'));
        expect(relationOf(pair, 'unknown')).toBe('unknown');
      }),
    );
  });

  it('says the mirror image of two items that change places', () => {
    fc.assert(
      fc.property(outcomes, outcomes, likenesses, (here, there, likeness) => {
        const relation = relationOf({ here: item(here), there: item(there) }, likeness);
        const mirrored = relationOf({ here: item(there), there: item(here) }, likeness);
        expect(mirrored).toBe(MIRROR[relation] ?? relation);
      }),
    );
  });

  it('of an item that one run alone has', () => {
    expect(relationOf({ here: item(SAME) }, 'unknown')).toBe('only_here');
    expect(relationOf({ there: item(SAME) }, 'unknown')).toBe('only_there');
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

const mirrored = ({ here, there }: ItemPair): ItemPair => ({
  ...(there && { here: there }),
  ...(here && { there: here }),
});
const asText = (pairs: readonly ItemPair[]): string[] =>
  pairs.map(({ here, there }) => JSON.stringify([here ?? null, there ?? null])).sort();
const sides = (pairs: readonly ItemPair[]): string[] => pairs.map((pair) => Object.keys(pair).join(' and '));

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
      { here: item(SAME, 0), there: item(CHANGED, 1) },
      { here: item(SAME, 1) },
      { there: item(FAILED, 0) },
    ]);
  });

  it('pairs what was played several times in its order, and leaves over what one run played more often', () => {
    const twice = [SAME, FAILED].map((outcome, no) => ({ source: 'a', item: item(outcome, no) }));
    const once = [{ source: 'a', item: item(SAME, 5) }];
    expect(sides(pairItems(twice, once))).toEqual(['here and there', 'here']);
    expect(sides(pairItems(once, twice))).toEqual(['here and there', 'there']);
  });

  it('sets each item of a run beside itself', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const pairs = pairItems(run, run);
        expect(pairs).toHaveLength(run.length);
        for (const { here, there } of pairs) expect(here).toBe(there);
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
      }),
    );
  });
});
