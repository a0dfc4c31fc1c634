import { LIMITS } from '../../limits.js';
import { check } from '../schema/check.js';
import { ITEM_REPORT } from './item-report.js';

const DIVERGENCE = { kind: 'extra', path: ['answer'] };

const read = (fields: object): object => check(ITEM_REPORT, { item_no: 3, ...fields });

describe('a reported item', () => {
  it('keeps flags that are true, and drops false ones, unknown fields and fields that are null', () => {
    const scores = [
      { name: 'helpful', value: null, reused: false, by: 'x' },
      { name: 'short', value: 1, reused: true },
    ];
    expect(
      read({ fixed: true, accepted: false, compared_by: { same: false }, name: null, later: 1, scores }),
    ).toEqual({
      item_no: 3,
      fixed: true,
      compared_by: {},
      scores: [
        { name: 'helpful', value: null },
        { name: 'short', value: 1, reused: true },
      ],
    });
  });

  it('keeps a result that is null or false', () => {
    expect(read({ result: null, original_output: false })).toEqual({
      item_no: 3,
      result: null,
      original_output: false,
    });
  });

  it('cuts texts and lists that are too long', () => {
    const item = check(ITEM_REPORT, {
      item_no: 3,
      scores: Array.from({ length: 101 }, () => ({ name: 'a', value: 1, label: 'b'.repeat(4097) })),
      divergences: [{ ...DIVERGENCE, reason: 'c'.repeat(4096) }],
    });
    expect(item.scores).toHaveLength(100);
    expect(item.scores?.[0]?.label).toBe(`${'b'.repeat(4095)}…`);
    expect(item.divergences?.[0]?.reason).toBe('c'.repeat(4096));
  });

  it('keeps both ends of a long path of a divergence', () => {
    const path = Array.from({ length: LIMITS.divergencePath + 1 }, (_, index) => `step${index}`);
    const item = check(ITEM_REPORT, { item_no: 3, divergences: [{ ...DIVERGENCE, path }] });
    const [divergence] = item.divergences ?? [];
    expect(divergence?.path).toHaveLength(LIMITS.divergencePath);
    expect([divergence?.path[0], divergence?.path.at(-1)]).toEqual(['step0', path.at(-1)]);
    expect(divergence?.path).toContain('…');
  });

  it.each([
    [{ divergences: [DIVERGENCE] }, { divergences: [DIVERGENCE] }],
    [{ divergence_count: 0 }, { divergences: [] }],
    [{ divergence_count: 2 }, { divergences: [], divergence_count: 2 }],
    [
      { divergences: [DIVERGENCE], divergence_count: 2 },
      { divergences: [DIVERGENCE], divergence_count: 2 },
    ],
    [{}, {}],
  ])('counts divergences, and states the number only if more than listed: %j', (fields, expected) => {
    expect(read(fields)).toEqual({ item_no: 3, ...expected });
  });

  it.each([
    [{ item_no: undefined }, 'item_no must be a whole number from 0 to 9007199254740991, not absent'],
    [{ fixed: 1 }, 'fixed must be true or false'],
    [{ compared_by: { ignore: ['a', 1] } }, 'compared_by.ignore[1] must be a string, not 1'],
    [{ original_error: { name: 'E' } }, 'original_error.message must be a string, not absent'],
    [{ usage: { cost_usd: -1 } }, 'usage.cost_usd must be a number of at least 0, not -1'],
    [
      { scores: [{ name: 'a', value: {} }] },
      'scores[0].value must be a number, true, false, a string or null',
    ],
    [{ scores: [{ name: 'a' }] }, 'scores[0].value must be a number, true, false, a string or null'],
    [{ baseline_hash: 'AB' }, 'baseline_hash must be 64 hex digits in lower case'],
    [{ divergences: [1] }, 'divergences[0] must be an object, not 1'],
  ])('is refused with the first invalid field: %j', (fields, message) => {
    expect(() => read(fields)).toThrow(message);
  });
});
