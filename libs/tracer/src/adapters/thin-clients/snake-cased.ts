import { hasMembers } from '@dacapo/protocol';

/** Nothing deeper in an answer is read. */
const DEEPEST = 6;

/** The same data with the names of the wire format: generated clients write `promptTokens` for `prompt_tokens`. */
export function snakeCased(value: unknown, depth = 0): unknown {
  if (!hasMembers(value) || depth > DEEPEST) return value;
  if (Array.isArray(value)) return value.map((item) => snakeCased(item, depth + 1));
  const renamed = Object.entries(value).map(([name, member]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    snakeCased(member, depth + 1),
  ]);
  return Object.fromEntries(renamed) as unknown;
}
