import { readReportedCost } from './outcome-facts.js';

describe('readReportedCost', () => {
  it.each([
    [
      'a number of OpenRouter',
      { openrouter: { provider: 'Groq', usage: { cost: 0.0004 } } },
      { cost_usd: 0.0004 },
    ],
    ['a text of the gateway', { gateway: { generationId: 'g', cost: '0.0021' } }, { cost_usd: 0.0021 }],
    ['a free model', { openrouter: { usage: { cost: 0 } } }, { cost_usd: 0 }],
    ['no cost', { openai: { responseId: 'r' } }, {}],
    ['an empty text', { gateway: { cost: ' ' } }, {}],
    ['what is not a number', { gateway: { cost: 'free' } }, {}],
    ['a negative number', { openrouter: { usage: { cost: -1 } } }, {}],
    ['nothing', undefined, {}],
  ])('reads %s', (_, metadata, expected) => {
    expect(readReportedCost(metadata)).toEqual(expected);
  });
});
