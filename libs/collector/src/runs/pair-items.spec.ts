import type { PairRelation, TestRunItemSummary } from '@dacapo/protocol';
import fc from 'fast-check';
import type { Likeness } from './outcome-likeness.js';
import { type ItemPair, pairItems, pairRelation, type SourcedItem, itemSource } from './pair-items.js';

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
/** With few sources, runs share some, miss some, and have some twice. */
const runs = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), outcomes), { maxLength: 12 })
  .map((replayed) =>
    replayed.map(([source, outcome], item_no): SourcedItem => ({ source, item: item(outcome, item_no) })),
  );

const MIRROR: Partial<Record<PairRelation, PairRelation>> = { improved: 'regressed', regressed: 'improved' };

describe('pairRelation', () => {
  it.each<[string, Outcome, Outcome, PairRelation]>([
    ['same and changed', SAME, CHANGED, 'improved'],
    ['same and a failure', SAME, FAILED, 'improved'],
    ['changed and a failure', CHANGED, FAILED, 'improved'],
    ['fixed and failing as before', FIXED, FAILS_AS_BEFORE, 'improved'],
    ['accepted and changed', ACCEPTED, CHANGED, 'improved'],
    ['changed and same', CHANGED, SAME, 'regressed'],
    ['a failure and same', FAILED, SAME, 'regressed'],
    ['a failure and changed', FAILED, CHANGED, 'regressed'],
    ['failing as before and fixed', FAILS_AS_BEFORE, FIXED, 'regressed'],
    ['same and accepted', SAME, ACCEPTED, 'other_outcome'],
    ['changed and changed', CHANGED, CHANGED, 'other_outcome'],
    ['fixed and fixed', FIXED, FIXED, 'other_outcome'],
    ['two failures', FAILED, FAILED, 'other_outcome'],
    ['unknown and same', UNKNOWN, SAME, 'other_outcome'],
    ['a failure and unknown', FAILED, UNKNOWN, 'other_outcome'],
    ['unknown and unknown', UNKNOWN, UNKNOWN, 'other_outcome'],
  ])('relates %s by their verdicts when the outcomes differ', (_, here, there, expected) => {
    expect(pairRelation({ here: item(here), there: item(there) }, 'different')).toBe(expected);
  });

  it.each<[string, Outcome, Outcome, PairRelation]>([
    ['same and same', SAME, SAME, 'same_outcome'],
    ['same and accepted', SAME, ACCEPTED, 'same_outcome'],
    ['changed and changed', CHANGED, CHANGED, 'same_outcome'],
    ['two failures', FAILED, FAILED, 'same_outcome'],
    ['unknown and unknown', UNKNOWN, UNKNOWN, 'same_outcome'],
    ['changed and accepted', CHANGED, ACCEPTED, 'judged_otherwise'],
    ['accepted and changed', ACCEPTED, CHANGED, 'judged_otherwise'],
    ['a failure and failing as before', FAILED, FAILS_AS_BEFORE, 'judged_otherwise'],
    ['fixed and changed', FIXED, CHANGED, 'judged_otherwise'],
    ['unknown and same', UNKNOWN, SAME, 'judged_otherwise'],
  ])('relates %s when the outcomes are the same', (_, here, there, expected) => {
    expect(pairRelation({ here: item(here), there: item(there) }, 'same')).toBe(expected);
  });

  it('is neither `improved` nor `regressed` when the outcomes are the same or cannot be compared', () => {
    fc.assert(
      fc.property(outcomes, outcomes, (here, there) => {
        const pair = { here: item(here), there: item(there) };
        expect(['same_outcome', 'judged_otherwise']).toContain(pairRelation(pair, 'same'));
        expect(pairRelation(pair, 'unknown')).toBe('unknown');
      }),
    );
  });

  it('is mirrored when the two items change places', () => {
    fc.assert(
      fc.property(outcomes, outcomes, likenesses, (here, there, likeness) => {
        const relation = pairRelation({ here: item(here), there: item(there) }, likeness);
        const mirrored = pairRelation({ here: item(there), there: item(here) }, likeness);
        expect(mirrored).toBe(MIRROR[relation] ?? relation);
      }),
    );
  });

  it('is `only_here` or `only_there` when one run has the item', () => {
    expect(pairRelation({ here: item(SAME) }, 'unknown')).toBe('only_here');
    expect(pairRelation({ there: item(SAME) }, 'unknown')).toBe('only_there');
  });
});

describe('itemSource', () => {
  const call = { source_trace_id: 't', source_span_id: 's' };

  it('is the call and the repetition, regardless of the item number', () => {
    const first = itemSource({ ...item(SAME, 1), ...call }, undefined);
    expect(itemSource({ ...item(CHANGED, 7), ...call }, undefined)).toBe(first);
    expect(itemSource({ ...item(SAME, 1), ...call, repetition: 0 }, undefined)).toBe(first);
    expect(itemSource({ ...item(SAME, 1), ...call, repetition: 1 }, undefined)).not.toBe(first);
  });

  it('is the dataset item, regardless of the call it was copied from', () => {
    const first = itemSource({ ...item(SAME), ...call }, 'd-1');
    expect(itemSource(item(SAME, 4), 'd-1')).toBe(first);
    expect(itemSource({ ...item(SAME), ...call }, 'd-2')).not.toBe(first);
  });

  it('is the number and the input of an item of a list', () => {
    const first = itemSource({ ...item(SAME, 2), input_preview: '["a"]' }, undefined);
    expect(itemSource({ ...item(FAILED, 2), input_preview: '["a"]' }, undefined)).toBe(first);
    expect(itemSource({ ...item(SAME, 3), input_preview: '["a"]' }, undefined)).not.toBe(first);
    expect(itemSource({ ...item(SAME, 2), input_preview: '["b"]' }, undefined)).not.toBe(first);
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
  it('pairs items with the same source, and returns the others unpaired', () => {
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

  it('pairs items with one source in order, and returns the surplus unpaired', () => {
    const twice = [SAME, FAILED].map((outcome, no) => ({ source: 'a', item: item(outcome, no) }));
    const once = [{ source: 'a', item: item(SAME, 5) }];
    expect(sides(pairItems(twice, once))).toEqual(['here and there', 'here']);
    expect(sides(pairItems(once, twice))).toEqual(['here and there', 'there']);
  });

  it('pairs each item of a run with itself', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const pairs = pairItems(run, run);
        expect(pairs).toHaveLength(run.length);
        for (const { here, there } of pairs) expect(here).toBe(there);
      }),
    );
  });

  it('is mirrored when the two runs change places', () => {
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
