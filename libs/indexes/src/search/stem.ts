const ENDINGS = [
  'ization',
  'isation',
  'ations',
  'ation',
  'ators',
  'ator',
  'ition',
  'ment',
  'ness',
  'able',
  'ible',
  'abl',
  'ibl',
  'izer',
  'iser',
  'iz',
  'is',
  'at',
  'ly',
  'er',
  'or',
];
/** With fewer letters, different words would become equal. */
const MIN_STEM_LENGTH = 4;

/**
 * Removes the usual endings of an English word, so that `validate`, `validating` and `validation` are one term. The result need not be
 * a word. Returns anything but plain lower-case English unchanged.
 */
export function stem(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word;
  return withoutEnding(withoutFinalE(withoutInflection(withoutPlural(word))));
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|us|is)$/.test(word)) return word;
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

function withoutInflection(word: string): string {
  const base = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(word)?.[1];
  if (base === undefined || base.length < 3 || word.endsWith('eed')) return word;
  const isDoubled = base.at(-1) === base.at(-2) && !/[lsz]$/.test(base);
  return isDoubled ? base.slice(0, -1) : base;
}

function withoutFinalE(word: string): string {
  return word.length > 3 && word.endsWith('e') ? word.slice(0, -1) : word;
}

function withoutEnding(word: string): string {
  const ending = ENDINGS.find((one) => word.endsWith(one) && word.length - one.length >= MIN_STEM_LENGTH);
  if (ending !== undefined) return withoutFinalE(word.slice(0, -ending.length));
  return /[st]ion$/.test(word) && word.length > 7 ? word.slice(0, -3) : word;
}
