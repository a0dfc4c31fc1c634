import { completeLine, findSuggested } from './complete-line.js';

describe('a line is completed', () => {
  it.each([
    ['sta', ['status:']],
    ['ledger co', ['ledger cost>=', 'ledger cost<=']],
    ['status:', ['status:ok', 'status:error', 'status:cancelled', 'status:unfinished']],
    ['key:a status:e', ['key:a status:error']],
    ['meta', ['metadata.']],
    ['', []],
    ['status:error ', []],
    ['"late sta', []],
    ['"sta', []],
    ['nothing:', []],
  ])('%s', (line, completed) => {
    expect(completeLine(line)).toEqual(completed);
  });

  it('with values that the service suggests', () => {
    expect(findSuggested('late model:g')).toEqual({ suggests: 'model', prefix: 'g' });
    expect(findSuggested('key:')).toEqual({ suggests: 'key', prefix: '' });
    expect(findSuggested('cost:')).toBeUndefined();
    expect(findSuggested('model')).toBeUndefined();
    expect(completeLine('late model:g', ['gpt-5', 'gem ini', 'o1'])).toEqual([
      'late model:gpt-5',
      'late model:"gem ini"',
    ]);
  });
});
