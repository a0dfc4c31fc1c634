import { formatQueryLine, parseAge, parseQueryLine } from './query-line.js';

describe('a query line', () => {
  it('has conditions and a text', () => {
    expect(parseQueryLine('status:error model:gpt-5 cost>0.01 "late parcel" refund*')).toEqual({
      status: ['error'],
      model: ['gpt-5'],
      min_cost_usd: ['0.01'],
      text: ['"late parcel" refund*'],
    });
  });

  it.each([
    ['user:"ann lee" tag:beta tag:vip', { user_id: ['ann lee'], tags: ['beta', 'vip'] }],
    ['duration>2s duration<=1m', { min_duration_ms: ['2000'], max_duration_ms: ['60000'] }],
    ['metadata.user.plan:pro metadata.tier=5', { 'metadata.user.plan': ['pro'], 'metadata.tier': ['5'] }],
    ['score.accuracy<0.5', { score: ['accuracy'], score_below: ['0.5'] }],
    ['score.tone:good', { score: ['tone'], score_is: ['good'] }],
    ['score:accuracy', { score: ['accuracy'] }],
    ['since:2026-01-31', { since: ['2026-01-31T00:00:00.000Z'] }],
    ['since:24h', { since: ['24h'] }],
    ['session_id:s1', { session_id: ['s1'] }],
    ['"status:error"', { text: ['"status:error"'] }],
    ['12:30 退款', { text: ['12:30 退款'] }],
  ])('reads %s', (line, parameters) => {
    expect(parseQueryLine(line)).toEqual(parameters);
  });

  it.each([
    ['modle:gpt-5', 'Unknown condition "modle". Did you mean "model"?'],
    ['http://x', 'in quotation marks'],
    ['status:eror', 'Unknown status "eror". Did you mean "error"?'],
    ['cost:5', '"cost" cannot be compared with :. Write cost>=… or cost<=…'],
    ['cost>much', '"cost>" needs a number, not "much".'],
    ['user:', '"user:" has no value'],
    ['user:ann user:bob', '"user" has two values, "ann" and "bob". Write one.'],
    ['score<0.5', 'Write score.accuracy<0.5'],
    ['user.name:ann', '"user" does not accept a path'],
    ['since:yesterday', 'needs a time such as'],
    ['every-call:true', 'Unknown condition'],
  ])('refuses %s: %s', (line, message) => {
    expect(() => parseQueryLine(line)).toThrow(message);
  });

  it.each([
    'status:error cost>=0.01 tag:a tag:"b c" metadata.tier:gold "late parcel" ref*',
    'score.accuracy<0.5 duration<=2000 "status:error"',
    'score:accuracy replays:exclude',
  ])('is written as it was read: %s', (line) => {
    expect(formatQueryLine(parseQueryLine(line))).toBe(line);
  });

  it.each([
    ['90m', 5_400_000],
    ['2w', 1_209_600_000],
    ['24', undefined],
    ['1y', undefined],
    ['2026-01-31', undefined],
  ])('has %s as an age of %s ms', (text, ageMs) => {
    expect(parseAge(text)).toBe(ageMs);
  });
});
