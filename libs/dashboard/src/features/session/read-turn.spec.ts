import type { JsonValue, SpanDetail } from '@dacapo/protocol';
import { isWholeTurn, readTurn } from './read-turn.js';

type Data = SpanDetail['span_data'];

const call = (input: JsonValue[], output?: JsonValue, more: Partial<Data> = {}) => ({
  span_data: { input, ...(output !== undefined && { output }), ...more },
});

const MODEL = call(
  [
    {
      model: 'gpt-5',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi' },
        { role: 'user', content: 'Where is my parcel?' },
        { role: 'tool', content: 'Leipzig', tool_call_id: '1' },
      ],
    },
  ],
  { choices: [{ message: { role: 'assistant', content: 'In Leipzig.' } }] },
);

const ERROR = { name: 'TimeoutError', message: 'no answer' };

const readTexts = (...turn: Parameters<typeof readTurn>): string[] =>
  readTurn(...turn).messages.map(
    ({ role, parts }) => `${role}: ${parts.map((part) => ('text' in part ? part.text : part.kind)).join('')}`,
  );

describe('a turn of a conversation', () => {
  it('has the last message of the user and the final answer of the outermost call', () => {
    expect(readTexts(MODEL)).toEqual(['user: Where is my parcel?', 'assistant: In Leipzig.']);
    expect(isWholeTurn(MODEL)).toBe(true);
    expect(readTexts(call(['Where is it?'], 'Here.'))).toEqual(['user: Where is it?', 'assistant: Here.']);
  });

  it('has what the outermost call lacks from its model call', () => {
    const request = call([{ method: 'POST', path: '/chat' }], { status: 200 });
    expect(isWholeTurn(request)).toBe(false);
    expect(readTexts(request, MODEL)).toEqual(['user: Where is my parcel?', 'assistant: In Leipzig.']);
    expect(readTexts(call(['Is it late?'], { status: 200 }), MODEL)[0]).toBe('user: Is it late?');
    expect(readTexts(call(['conversation-1'], 'In Berlin.'), MODEL)).toEqual([
      'user: Where is my parcel?',
      'assistant: In Berlin.',
    ]);
  });

  it('keeps an argument of one word without a model call', () => {
    expect(readTexts(call(['Yes'], 'Done.'))).toEqual(['user: Yes', 'assistant: Done.']);
  });

  it('does not take results of tools for what the user said', () => {
    const messages = [
      { role: 'user', content: 'And now?' },
      { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'find', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: 'nothing' }] },
    ];
    expect(readTexts(call([{ messages }], 'Nothing.'))[0]).toBe('user: And now?');
  });

  it('shows only what is new of an output that repeats the conversation', () => {
    const output = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
      { role: 'user', content: 'Bye now' },
      { role: 'assistant', content: 'Bye' },
    ];
    expect(readTexts(call(['Bye now'], output))).toEqual(['user: Bye now', 'assistant: Bye']);
  });

  it('has the question alone when the call failed, whatever the model answered before', () => {
    const failed = call([{ path: '/chat' }], undefined, { error: ERROR });
    expect(readTexts(failed, MODEL)).toEqual(['user: Where is my parcel?']);
    expect(isWholeTurn(call(['Is it late?'], undefined, { error: ERROR }))).toBe(true);
  });

  it('has no messages when the calls are no conversation', () => {
    expect(readTexts(call([{ id: 7 }], { ok: true }))).toEqual([]);
    expect(readTexts(call([], undefined))).toEqual([]);
    expect(readTexts(call(['job-7'], { ok: true }))).toEqual([]);
  });

  it('lists the media of the calls that its messages come from', () => {
    const media = { id: 'a'.repeat(64), type: 'image/png', size: 3 };
    const meta = { input: { truncated: { '/0': { media } } } };
    expect(readTurn(call(['What is this?'], 'A cat.', { meta })).media).toHaveLength(1);
  });
});
