import { camelCased, snakeCased } from './casing.js';

describe('the members of a record', () => {
  it('get the names of the API and those of the code', () => {
    const usage = { inputTokens: 3, costUsd: 0.5, made: 1 };
    expect(snakeCased(usage)).toEqual({ input_tokens: 3, cost_usd: 0.5, made: 1 });
    expect(camelCased(snakeCased(usage))).toEqual(usage);
  });

  it('are absent if they are undefined, and keep null, false and 0', () => {
    const record = { durationMs: undefined, costUsd: 0, isMocked: false, parentId: null };
    expect(Object.entries(snakeCased(record))).toEqual([
      ['cost_usd', 0],
      ['is_mocked', false],
      ['parent_id', null],
    ]);
  });

  it('keep their values, whose own names stay', () => {
    expect(camelCased({ trace_metadata: { user_id: 1 } })).toEqual({ traceMetadata: { user_id: 1 } });
  });
});
