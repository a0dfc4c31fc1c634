import { ITEM_FLAGS, JUDGEMENTS, VERDICTS } from '@dacapo/protocol';
import fc from 'fast-check';
import { toTotalName, type ItemState, NO_TOTALS } from '../storage/ports/test-run.js';
import { countJudged } from './judged-totals.js';

const flags = fc.record({
  fixed: fc.boolean(),
  failing_as_before: fc.boolean(),
  new_error: fc.boolean(),
  accepted: fc.boolean(),
  diverged: fc.boolean(),
});
const states = fc.array(
  fc.record({
    verdict: fc.constantFrom(...VERDICTS),
    flags,
    judgement: fc.option(fc.constantFrom(...JUDGEMENTS), { nil: undefined }),
    isIgnored: fc.boolean(),
  }),
  { maxLength: 10 },
);

const toState = (
  { judgement, ...rest }: typeof states extends fc.Arbitrary<(infer S)[]> ? S : never,
  index: number,
): ItemState => ({ ...rest, item: [index, 0], isErased: false, ...(judgement && { judgement }) });

const count = (items: readonly Pick<ItemState, 'verdict' | 'flags'>[]) => {
  const totals = { ...NO_TOTALS, items: items.length };
  for (const item of items) {
    totals[item.verdict] += 1;
    for (const flag of ITEM_FLAGS) totals[toTotalName(flag)] += Number(item.flags[flag]);
  }
  return totals;
};

describe('judged totals', () => {
  it('add up to all items, and equal the totals without judgements', () => {
    fc.assert(
      fc.property(states, (run) => {
        const all = run.map(toState);
        const totals = count(all);
        const { items, same, changed, unknown, error } = countJudged(totals, all);
        expect(same + changed + unknown + error).toBe(items);
        const plain = all.map(({ item, verdict, flags: shown, isErased }) => ({
          item,
          verdict,
          flags: shown,
          isErased,
          isIgnored: false,
        }));
        expect(countJudged(totals, plain)).toEqual(totals);
      }),
    );
  });

  it('count an item as documented', () => {
    fc.assert(
      fc.property(states, (run) => {
        const all = run.map(toState);
        const totals = countJudged(count(all), all);
        const isAccepted = ({ judgement }: ItemState) => judgement === 'accepted' || judgement === 'better';
        const isIgnored = ({ judgement, isIgnored: ignored }: ItemState) =>
          judgement === undefined && ignored;
        const worse = all.filter(({ judgement }) => judgement === 'worse');
        const left = all.filter(
          (item) => !isAccepted(item) && !isIgnored(item) && item.judgement !== 'worse',
        );
        expect(totals.error).toBe([...left, ...worse].filter(({ verdict }) => verdict === 'error').length);
        expect(totals.changed).toBe(
          left.filter(({ verdict }) => verdict === 'changed').length +
            worse.filter(({ verdict }) => verdict !== 'error').length,
        );
        expect(totals.unknown).toBe(left.filter(({ verdict }) => verdict === 'unknown').length);
        expect(totals.diverged).toBe(all.filter((item) => item.flags.diverged && !isAccepted(item)).length);
      }),
    );
  });
});
