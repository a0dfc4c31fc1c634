import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProvider } from './find-provider.js';

/** Addresses as their providers document them. */
const ROWS = JSON.parse(
  readFileSync(join(__dirname, '../../../../test/providers.json'), 'utf8'),
) as readonly {
  readonly address: string;
  readonly provider: string;
}[];

describe('findProvider', () => {
  it.each(ROWS)('finds the provider at $address: $provider', ({ address, provider }) => {
    expect(findProvider(address)).toBe(provider);
    expect(findProvider(new URL(address))).toBe(provider);
  });

  it.each([
    'http://127.0.0.1:4000/v1',
    'https://models.example.com/v1',
    'https://api.openai.com.example.com/v1',
    'https://example.com/api.openai.com',
    'https://notapi.openai.com.evil/',
    'https://fakeopenrouter.ai/',
    'api.openai.com',
    '',
    undefined,
    42,
    {},
  ])('knows no provider at %p', (address) => {
    expect(findProvider(address)).toBeUndefined();
  });
});
