/** The longest name, after an escape. */
const LOOKED_BACK = 64 + 6;
const LOOKED_AT = 256;
const NAME_AT_END = /\\?[\w.-]{1,64}$/;
/** Of `\n`, whose letter is no part of a name; or a backslash and a name that begins with the letter. */
const ESCAPE = /^\\(?:[bfnrt]|u[\da-f]{4})/;

/**
 * Whether a secret's name stands in JSON before one of these signs: `=`, or the `\\"` that ends a name in JSON in a string.
 * With more of them than can be looked at the answer is yes.
 */
export function namesSecret(text: string, sign: string, isSecretName: (name: string) => boolean): boolean {
  const seen = new Set<string>();
  let at = text.indexOf(sign);
  for (let looks = 0; at >= 0; looks++) {
    if (looks === LOOKED_AT) return true;
    const found = NAME_AT_END.exec(text.slice(Math.max(0, at - LOOKED_BACK), at))?.[0];
    if (found !== undefined && !seen.has(found)) {
      if (namesOf(found).some(isSecretName)) return true;
      seen.add(found);
    }
    at = text.indexOf(sign, at + sign.length);
  }
  return false;
}

function namesOf(found: string): string[] {
  return found.startsWith('\\') ? [found.slice(1), found.replace(ESCAPE, '')] : [found];
}
