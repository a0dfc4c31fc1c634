import fc from 'fast-check';
import { memberTexts } from './json-members.js';

const PATH = ['span', 'span_data'];
const makeLine = (data: unknown): string =>
  JSON.stringify({ v: 1, span: { id: 'a', span_data: data, end: [{}] } });
const read = (texts: Map<string, string> | undefined): Record<string, unknown> | undefined =>
  texts && Object.fromEntries(Array.from(texts, ([name, text]) => [name, JSON.parse(text) as unknown]));

describe('memberTexts', () => {
  it('returns the text of each member', () => {
    const data = {
      input: ['a "quoted" {text', { b: [] }],
      output: -1.5,
      prompt: 'p\\',
      none: null,
      yes: true,
    };
    expect(memberTexts(makeLine(data), PATH)).toEqual(
      new Map(Object.entries(data).map(([name, value]) => [name, JSON.stringify(value)])),
    );
    expect(memberTexts(makeLine({}), PATH)).toEqual(new Map());
  });

  it('keeps the original text, such as numbers beyond double precision and the order of names', () => {
    const json = '{"span":{"span_data":{"output":{"2":12345678901234567890,"1":0.10}}}}';
    expect(memberTexts(json, PATH)?.get('output')).toBe('{"2":12345678901234567890,"1":0.10}');
  });

  it('uses the last of duplicate members, also along the path', () => {
    const json =
      '{"span":{"span_data":{"a":1}},"span":{"span_data":{"b":1,"b":2},"span_data":{"b":3,"b":4}}}';
    expect(read(memberTexts(json, PATH))).toEqual({ b: 4 });
    expect(memberTexts('{"span":{"span_data":{"a":1},"span_data":7}}', PATH)).toBeUndefined();
  });

  it.each([
    ['blanks between tokens', '{"span":{"span_data":{"a": 1}}}'],
    ['blanks within a member', '{"span":{"span_data":{"a":[1, 2]}}}'],
    ['blanks elsewhere', '{"v":[1, 2],"span":{"span_data":{"a":1}}}'],
    ['an unnecessarily escaped character', '{"span":{"span_data":{"a":"\\u00e9"}}}'],
    ['an escaped slash', '{"span":{"span_data":{"a":"\\/"}}}'],
    ['an escape in a name', '{"span":{"span_data":{"\\"":1}}}'],
    ['a number too large for a double', '{"span":{"span_data":{"a":1e999}}}'],
    ['a number too large for a double, in a list', '{"span":{"span_data":{"a":[7,1E999]}}}'],
    ['no object at the path', '{"span":{"data":{"a":1}}}'],
    ['an array at the path', '{"span":{"span_data":[1]}}'],
    ['an array at the top', '["span"]'],
  ])('returns undefined for JSON with %s', (_, json) => {
    expect(memberTexts(json, PATH)).toBeUndefined();
  });

  it('agrees with JSON.parse on all output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
        const texts = memberTexts(makeLine(data), PATH);
        if (texts !== undefined) expect(read(texts)).toEqual(JSON.parse(JSON.stringify(data)));
        else expect(JSON.stringify(makeLine(data))).toMatch(/\\\\|\d[eE]/);
      }),
    );
  });

  it('never returns a value that differs from JSON.parse', () => {
    const blanks = fc.array(fc.constantFrom('', '', '', ' ', '\n\t'), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(0, 1),
        blanks,
        (value, indent, [before, between, after]) => {
          const json = `${before}{"span":${between}{"span_data":{"x":${JSON.stringify(value, null, indent)}${after}}}}`;
          const texts = memberTexts(json, PATH);
          if (texts !== undefined)
            expect(read(texts)).toEqual({ x: JSON.parse(JSON.stringify(value)) as unknown });
        },
      ),
    );
  });
});
