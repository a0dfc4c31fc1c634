import type { JsonValue } from '@dacapo/protocol';

const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Parses what a person wrote. @throws {Error} for invalid JSON, and for a number that JSON readers would change */
export function parseJson(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new Error(`Invalid JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  const changed = text.match(TOKENS)?.find((token) => !token.startsWith('"') && !isExact(token));
  if (changed !== undefined) {
    throw new Error(`The number ${changed} cannot be stored exactly. Write it as a string in quotes.`);
  }
  return value;
}

/** Fifteen significant digits survive in any number. */
function isExact(token: string): boolean {
  const number = Number(token);
  if (!Number.isFinite(number) || Object.is(number, -0)) return false;
  const [mantissa = ''] = token.split(/[eE]/);
  const digits = mantissa.replace(/[-.]/g, '').replace(/^0+/, '');
  if (number === 0) return digits === '';
  return digits.length <= 15 || (/^-?\d+$/.test(token) && BigInt(token) === BigInt(number));
}
