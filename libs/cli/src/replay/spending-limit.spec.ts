import { SpendingLimit } from './spending-limit.js';

const priced = { made: 1, inputTokens: 1, outputTokens: 1, costUsd: 1 };

describe('a limit of what a run may cost', () => {
  it.each([
    ['costs up to the limit', 0.5, [{ usage: { costUsd: 0.2 } }, { usage: { costUsd: 0.3 } }], false],
    ['higher costs', 0.5, [{ usage: { costUsd: 0.2 } }, { usage: { costUsd: 0.4 } }], true],
    ['any cost, with a limit of 0', 0, [{ usage: { costUsd: 0.000001 } }], true],
    ['calls that the recording answered', 0, [{}, {}], false],
    ['a priced model call', 1, [{ usage: { costUsd: 0.2 }, modelCalls: priced }], false],
    ['a model call without a price', 1, [{ modelCalls: { ...priced, costUsd: 0 } }], true],
    ['costs that are not a number', 1, [{ usage: { costUsd: NaN } }], true],
  ])('with %s of %d: is exceeded by %j: %s', (_, maxUsd, items, isExceeded) => {
    const limit = new SpendingLimit(maxUsd);
    for (const item of items) limit.add(item);
    expect(limit.isExceeded).toBe(isExceeded);
    const check = (): void => {
      limit.check();
    };
    if (isExceeded) expect(check).toThrow(expect.objectContaining({ code: 'CLI_BUDGET_EXCEEDED' }));
    else expect(check).not.toThrow();
  });
});
