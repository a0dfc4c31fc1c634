import { markedSecretPatterns } from './marked-patterns.js';
import { foreignNamePattern } from './foreign-names.js';
import { labelPattern, listedPattern, namedSecretPatterns } from './named-patterns.js';
import { BUILT_IN_PATTERNS } from './patterns.js';
import { PHRASE_PATTERNS } from './phrase-patterns.js';
import { nameStrength, SECRET_NAMES } from './secret-names.js';
import { TextMasker } from './text-masker.js';

const masker = new TextMasker((secret) => `[redacted:${secret.length}]`, [], nameStrength);

describe('a pattern', () => {
  it.each(
    [
      ...BUILT_IN_PATTERNS,
      ...PHRASE_PATTERNS,
      foreignNamePattern(),
      labelPattern(nameStrength),
      listedPattern(nameStrength),
      ...markedSecretPatterns(nameStrength),
      ...namedSecretPatterns(nameStrength),
    ].map(({ finds, example }) => [finds, example]),
  )('finds %s, as its example shows', (_, example) => {
    const [before = '', secret = '', after = ''] = example.split(/[«»]/);
    const shown = masker.mask(example.replace(/[«»]/g, ''));
    expect([
      before + `[redacted:${secret.length}]` + after,
      before + `"[redacted:${secret.length}]"` + after,
    ]).toContain(shown);
  });
});

describe('a name of the list', () => {
  it.each(SECRET_NAMES.strong)('%s is strong, whatever its case', (name) => {
    expect([nameStrength(name), nameStrength(name.toUpperCase())]).toEqual(['strong', 'strong']);
  });

  it.each(SECRET_NAMES.strongEndings)('%s is strong at the end of another, also in the plural', (ending) => {
    const plural = ending.endsWith('ss') ? ending : `${ending}s`;
    expect([nameStrength(`my_${ending}`), nameStrength(`my-${plural}`)]).toEqual(['strong', 'strong']);
  });

  it.each([...SECRET_NAMES.weak, ...SECRET_NAMES.weakEndings])('%s is weak', (name) => {
    expect(nameStrength(name)).toBe('weak');
  });
});
