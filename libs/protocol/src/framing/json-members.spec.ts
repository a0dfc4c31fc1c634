import fc from 'fast-check';
import { memberTexts } from './json-members.js';

const PATH = ['span', 'span_data'];
const lineOf = (data: unknown): string =>
  JSON.stringify({ v: 1, span: { id: 'a', span_data: data, end: [{}] } });
const read = (texts: Map<string, string> | undefined): Record<string, unknown> | undefined =>
  texts && Object.fromEntries(Array.from(texts, ([name, text]) => [name, JSON.parse(text) as unknown]));

describe('memberTexts', () => {
  it('gives the text of each member', () => {
    const data = {
      input: ['a "quoted" {text', { b: [] }],
      output: -1.5,
      prompt: 'p\\',
      none: null,
      yes: true,
    };
    expect(memberTexts(lineOf(data), PATH)).toEqual(
      new Map(Object.entries(data).map(([name, value]) => [name, JSON.stringify(value)])),
    );
    expect(memberTexts(lineOf({}), PATH)).toEqual(new Map());
  });

  it('leaves the text as it came: numbers that no double holds, names in their order', () => {
    const json = '{"span":{"span_data":{"output":{"2":12345678901234567890,"1":0.10}}}}';
    expect(memberTexts(json, PATH)?.get('output')).toBe('{"2":12345678901234567890,"1":0.10}');
  });

  it('takes the last of two members of a name, on the way too', () => {
    const json =
      '{"span":{"span_data":{"a":1}},"span":{"span_data":{"b":1,"b":2},"span_data":{"b":3,"b":4}}}';
    expect(read(memberTexts(json, PATH))).toEqual({ b: 4 });
    expect(memberTexts('{"span":{"span_data":{"a":1},"span_data":7}}', PATH)).toBeUndefined();
  });

  it.each([
    ['blanks between tokens', '{"span":{"span_data":{"a": 1}}}'],
    ['blanks within a member', '{"span":{"span_data":{"a":[1, 2]}}}'],
    ['blanks elsewhere', '{"v":[1, 2],"span":{"span_data":{"a":1}}}'],
    ['a character escaped without need', '{"span":{"span_data":{"a":"\\u00e9"}}}'],
    ['a slash escaped', '{"span":{"span_data":{"a":"\\/"}}}'],
    ['an escape in a name', '{"span":{"span_data":{"\\"":1}}}'],
    ['a number too large for a double', '{"span":{"span_data":{"a":1e999}}}'],
    ['a number too large for a double, in a list', '{"span":{"span_data":{"a":[7,1E999]}}}'],
    ['another way', '{"span":{"data":{"a":1}}}'],
    ['no object at its end', '{"span":{"span_data":[1]}}'],
    ['no object at all', '["span"]'],
  ])('gives nothing where there are %s', (_, json) => {
    expect(memberTexts(json, PATH)).toBeUndefined();
  });

  it('agrees with JSON.parse on all that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
        const texts = memberTexts(lineOf(data), PATH);
        if (texts !== undefined) expect(read(texts)).toEqual(JSON.parse(JSON.stringify(data)));
        else expect(JSON.stringify(lineOf(data))).toMatch(/\\\\|\d[eE]/);
      }),
    );
  });

  it('never gives another value than JSON.parse, whatever the text is', () => {
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
