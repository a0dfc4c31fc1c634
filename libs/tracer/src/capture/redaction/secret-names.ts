import { isSecretName, normalizeName } from './key-names.js';

/** The rule for names: the built-in ones and those of the options; `false` switches both off. */
export function secretNameRule(added: readonly (string | RegExp)[] | false): (name: string) => boolean {
  if (added === false) return () => false;
  const names = new Set(added.filter((name) => typeof name === 'string').map(normalizeName));
  const patterns = added.filter((name) => typeof name !== 'string');
  return (name) =>
    isSecretName(name) ||
    (names.size > 0 && names.has(normalizeName(name))) ||
    patterns.some((pattern) => name.search(pattern) >= 0);
}
