import {
  describe as describeCondition,
  readConditions,
  readFilter,
  readLine,
  toParameters,
  writeLine,
} from './trace-filter.js';

const conditions = (search: string) => readConditions(readFilter(new URLSearchParams(search)));

describe('the filter of the trace list', () => {
  it.each([
    ['model=gpt-4o', 'Model', 'gpt-4o'],
    ['type=llm', 'Type', 'llm'],
    ['session_id=ann', 'Session', 'ann'],
    ['min_duration_ms=2000', 'Duration', 'at least 2.00 s'],
    ['min_tokens=0&max_tokens=1200', 'Tokens', 'at least 0, at most 1,200'],
    ['max_cost_usd=0.002', 'Cost', 'at most $0.0020'],
    ['min_cost_usd=dear', 'Cost', 'at least dear'],
    ['metadata.user.plan=%225%22', 'Metadata user.plan', '"5"'],
    ['score=accuracy', 'Score accuracy', 'any value'],
    ['score=accuracy&score_below=0.5&score_above=0.2', 'Score accuracy', 'below 0.5, above 0.2'],
    ['score_is=good', 'Score ', 'is good'],
  ])('shows %s as %s: %s, and converts it back', (search, label, text) => {
    const [condition, ...more] = conditions(search);
    expect(more).toEqual([]);
    expect(describeCondition(condition!)).toEqual({ label, text });
    expect(toParameters(condition!)).toEqual(Object.fromEntries(new URLSearchParams(search)));
  });

  it('separates conditions on different metadata', () => {
    expect(conditions('metadata.a=1&metadata.b=2').map(toParameters)).toEqual([
      { 'metadata.a': '1' },
      { 'metadata.b': '2' },
    ]);
  });

  it('ignores unknown and empty parameters', () => {
    expect(readFilter(new URLSearchParams('span=1&limit=9&model=&status=error&sort=tokens'))).toEqual({
      status: 'error',
      sort: 'tokens',
    });
  });

  it('has no condition for the text and the order', () => {
    expect(conditions('text=refund&replays=include&sort=tokens')).toEqual([]);
  });

  it.each([
    'status:error session:s-1 "late parcel"',
    'since:24h key:classify cost>=0.01',
    'metadata.tier:gold score.accuracy<0.5',
  ])('is the line %s', (line) => {
    const filter = readLine(line);
    expect(writeLine(filter)).toBe(line);
    expect(writeLine(readFilter(new URLSearchParams(filter as Record<string, string>)))).toBe(line);
  });

  it('refuses two values of one condition', () => {
    expect(() => readLine('tag:a tag:b')).toThrow('one value of tags');
  });

  it('reads the range of a link as the age of the oldest trace', () => {
    expect(readFilter(new URLSearchParams('range=7d'))).toEqual({ since: '7d' });
  });
});
