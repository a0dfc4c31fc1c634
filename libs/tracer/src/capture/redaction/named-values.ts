const LONGEST_NAME = 64;
const LOOKED_AT = 256;
const NAME_AT_END = /[\w.-]{1,64}$/;

/**
 * Whether a secret's name stands before one of these signs: `=`, or the `\\"` that ends a name in JSON in a string.
 * With more of them than can be looked at the answer is yes.
 */
export function namesSecret(text: string, sign: string, isSecretName: (name: string) => boolean): boolean {
  const seen = new Set<string>();
  let at = text.indexOf(sign);
  for (let looks = 0; at >= 0; looks++) {
    if (looks === LOOKED_AT) return true;
    const name = NAME_AT_END.exec(text.slice(Math.max(0, at - LONGEST_NAME), at))?.[0];
    if (name !== undefined && !seen.has(name)) {
      if (isSecretName(name)) return true;
      seen.add(name);
    }
    at = text.indexOf(sign, at + sign.length);
  }
  return false;
}
