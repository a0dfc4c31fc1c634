import { parseViews } from './saved-views.js';

describe('stored views', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['{', []],
    ['{"name":"a"}', []],
    ['[null, 1, {"name":"","search":""}, {"name":"a"}]', []],
    ['[{"name":"Failed","search":"status=error"}]', [{ name: 'Failed', search: 'status=error' }]],
  ])('are read from %j', (text, views) => {
    expect(parseViews(text)).toEqual(views);
  });
});
