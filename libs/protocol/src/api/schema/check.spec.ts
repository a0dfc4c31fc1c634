import { check } from './check.js';
import * as kinds from './kinds.js';
import { decodeQuery, encodeQuery } from './query.js';

const SCHEMA = kinds.object({
  name: kinds.label(),
  limit: kinds.maybe(kinds.whole(1, 200)),
  tags: kinds.maybe(kinds.list(kinds.string(), 2)),
  part: kinds.maybe(kinds.object({ on: kinds.flag() })),
});

describe('a value of a request', () => {
  it('is read, and null counts as absent', () => {
    expect(check(SCHEMA, { name: 'a', limit: null, part: { on: true } })).toEqual({
      name: 'a',
      part: { on: true },
    });
  });

  it.each([
    [{}, 'name must be a string, not absent'],
    [{ name: ' ' }, 'name must not be blank'],
    [{ nam: 'a' }, 'Unknown field "nam". Did you mean "name"? Known: limit, name, part, tags'],
    [{ name: 'a', part: { of: 1 } }, 'Unknown field "part.of". Did you mean "on"? Known: on'],
    [{ name: 'a', limit: 0 }, 'limit must be a whole number from 1 to 200, not 0'],
    [{ name: 'a', tags: ['b', 1] }, 'tags[1] must be a string, not 1'],
    [{ name: 'a', tags: ['b', 'c', 'd'] }, 'tags must have at most 2 entries, not 3'],
    [{ name: 'a', part: [] }, 'part must be an object, not an array'],
    [{ name: 'a', ['__proto__x']: 1 }, 'Unknown field "__proto__x"'],
  ])('%j is refused: %s', (value, message) => {
    expect(() => check(SCHEMA, value)).toThrow(message);
  });
});

describe('a field', () => {
  it('that accepts any JSON keeps null, which is absent elsewhere', () => {
    const schema = kinds.object({ output: kinds.maybe(kinds.json()), note: kinds.maybe(kinds.string()) });
    expect(check(schema, { output: null, note: null })).toEqual({ output: null });
  });

  it('with alternatives reports the error of the alternative that applies', () => {
    const baseline = kinds.orObject(kinds.choice(['recording']), kinds.object({ id: kinds.string() }));
    const schema = kinds.object({ baseline });
    expect(check(schema, { baseline: 'recording' })).toEqual({ baseline: 'recording' });
    expect(check(schema, { baseline: { id: 'a' } })).toEqual({ baseline: { id: 'a' } });
    expect(() => check(schema, { baseline: 'other' })).toThrow('baseline must be one of recording');
    expect(() => check(schema, { baseline: { ids: 'a' } })).toThrow('Did you mean "id"?');
  });

  it('with a lazy schema is rejected only for an unknown name', () => {
    const schema = kinds.object({ items: kinds.list(kinds.unread(SCHEMA)) });
    const items = [{ name: 7, limit: null }, 'no object'];
    expect(check(schema, { items })).toEqual({ items });
    expect(() => check(schema, { items: [{ nam: 'a' }] })).toThrow('Unknown field "items[0].nam"');
  });

  it('of recorded data is accepted unchanged', () => {
    const schema = kinds.object({ span: kinds.recorded<object>('SpanRecord') });
    expect(check(schema, { span: { of: 'a newer SDK' } })).toEqual({ span: { of: 'a newer SDK' } });
  });

  it('that is a version of a path is a number, or the word for one', () => {
    const schema = kinds.object({ version: kinds.version('latest', 1) });
    expect(check(schema, { version: '12' })).toEqual({ version: 12 });
    expect(check(schema, { version: 'latest' })).toEqual({ version: 'latest' });
    for (const version of ['0', '1.5', 'newest', ''])
      expect(() => check(schema, { version })).toThrow(
        'version must be a whole number of at least 1, or latest',
      );
  });
});

describe('a query string', () => {
  const entries = {
    limit: kinds.maybe(kinds.whole()),
    on: kinds.maybe(kinds.flag()),
    tags: kinds.maybe(kinds.list(kinds.string())),
    metadata: kinds.maybe(kinds.record(kinds.string())),
    name: kinds.maybe(kinds.string()),
  };

  it('is decoded by the kinds of its values', () => {
    const query = { limit: '5', on: 'true', tags: 'a', 'metadata.user.plan': 'pro', name: '5' };
    expect(decodeQuery(entries, query)).toEqual({
      limit: 5,
      on: true,
      tags: ['a'],
      metadata: { 'user.plan': 'pro' },
      name: '5',
    });
  });

  it('keeps an invalid value that the schema rejects', () => {
    const read = (query: Record<string, string>) => check(kinds.object(entries), decodeQuery(entries, query));
    expect(() => read({ limit: 'many' })).toThrow('limit must be a whole number');
    expect(() => read({ limit: '' })).toThrow('not ""');
    expect(() => read({ on: '1' })).toThrow('on must be true or false');
  });

  it('encodes to the value that it decodes from', () => {
    const values = {
      limit: 5,
      on: true,
      tags: ['a', 'b c'],
      metadata: { 'user.plan': 'pro' },
      name: undefined,
    };
    expect(encodeQuery(values)).toBe('?limit=5&on=true&tags=a&tags=b+c&metadata.user.plan=pro');
    expect(encodeQuery({})).toBe('');
  });
});
