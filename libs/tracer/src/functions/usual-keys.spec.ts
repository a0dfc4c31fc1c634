import { missingKey } from './usual-keys.js';

const SOURCE = `
function Short(text: string) -> string {
  client "openai/gpt-4o"
  prompt #"{{ text }}"#
}

client<llm> Named {
  provider anthropic
}

function Long(text: string) -> string {
  client Named
  prompt #"client "anthropic/x""#
}
function Bare(text: string) -> string {
  client anthropic/claude-sonnet-4-5
  prompt #"{{ text }}"#
}
`;

describe('missingKey', () => {
  it('names the variable of a client for a short model name', () => {
    expect(missingKey(SOURCE, 'Short', undefined, {})).toBe('OPENAI_API_KEY');
    expect(missingKey(SOURCE, 'Bare', undefined, {})).toBe('ANTHROPIC_API_KEY');
    expect(missingKey(SOURCE, 'Short', undefined, { OPENAI_API_KEY: 'k' })).toBeUndefined();
  });

  it('treats a blank variable as missing', () => {
    expect(missingKey(SOURCE, 'Short', undefined, { OPENAI_API_KEY: ' ' })).toBe('OPENAI_API_KEY');
  });

  it('leaves a client of the source to the runtime, which names the variable itself', () => {
    expect(missingKey(SOURCE, 'Long', undefined, {})).toBeUndefined();
    expect(missingKey(SOURCE, 'Nope', undefined, {})).toBeUndefined();
  });

  it('names the variable of a client when the call brings no key', () => {
    expect(missingKey(SOURCE, 'Short', { provider: 'google-ai', model: 'm' }, {})).toBe('GOOGLE_API_KEY');
    expect(
      missingKey(SOURCE, 'Short', { provider: 'openai', model: 'm', options: { api_key: 'k' } }, {}),
    ).toBeUndefined();
    expect(missingKey(SOURCE, 'Short', { provider: 'openai-generic', model: 'm' }, {})).toBeUndefined();
  });
});
