import type { JsonValue, SpanRecord } from '@dacapo/protocol';
import { SpanMasker } from './span-masker.js';

const SECRET = 'password: hunter2hunter2 ';
const FILLER = 'lorem ipsum dolor sit amet '.repeat(40);
const WHOLE = /^\[redacted:[0-9a-f]{12}\]$/;

function mask(...input: JsonValue[]): SpanRecord['span_data'] {
  return new SpanMasker().mask({
    id: '00f067aa0ba902b7',
    trace_id: '0af76519-16cd-43dd-8448-eb211c80319c',
    trace_function_key: 'desk',
    name: 'answer',
    type: 'llm',
    status: 'ok',
    started_at: '2026-01-01T00:00:00.000000Z',
    span_data: { input },
  }).span_data;
}

describe('SpanMasker', () => {
  it('keeps the text around secrets, and notes where they were', () => {
    const { input, meta } = mask([{ content: (SECRET + FILLER).repeat(200) }]);
    expect(JSON.stringify(input)).not.toContain('hunter2');
    expect(JSON.stringify(input).length).toBeGreaterThan(200 * FILLER.length);
    expect(meta?.input?.redacted).toEqual(['/0/0/content']);
  });

  it.each([
    ['too many places', SECRET.repeat(2000)],
    ['too much text around them', (SECRET + FILLER.repeat(3)).repeat(600)],
  ])('masks a text with %s as a whole, and later texts that may have a secret', (_, text) => {
    const { input } = mask(text, SECRET, 'harmless');
    expect(input).toEqual([expect.stringMatching(WHOLE), expect.stringMatching(WHOLE), 'harmless']);
  });

  it('keeps long texts without places of possible secrets', () => {
    const text = FILLER.repeat(3000);
    expect(mask(text).input).toEqual([text]);
  });

  it('masks a secret in each span again, and short harmless texts as before', () => {
    const masker = new SpanMasker();
    const maskText = (text: string): string => masker.maskText(text);
    for (let time = 0; time < 2; time++) {
      expect(maskText('gpt-5')).toBe('gpt-5');
      expect(maskText(SECRET)).not.toContain('hunter2');
    }
  });
});
