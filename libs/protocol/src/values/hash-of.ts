import { base64Bytes } from './bytes.js';
import { canonical } from './canonical.js';
import type { ValueNode } from './value-node.js';

/** SHA-256 in lower-case hex; of a text its UTF-8. Given by who has one: a browser's takes a promise. */
export type Sha256 = (data: string | Uint8Array) => string;

/** UTF-8 has no place for it. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The hash of a whole value, as the note on a cut has it (`sha256`): of a text its UTF-8, of bytes themselves, of all else
 * the canonical form.
 *
 * @returns `undefined` where the canonical form has gaps, or is longer than `limit`: a hash is of everything, or is none
 */
export function hashOf(node: ValueNode, sha256: Sha256, limit?: number): string | undefined {
  if (node.kind === 'string' && node.cut === undefined && !LONE_SURROGATE.test(node.value))
    return sha256(node.value);
  if (node.kind === 'bytes' && node.cut === undefined) return sha256(base64Bytes(node.base64));
  return hashOfForm(node, sha256, limit);
}

/**
 * The hash of an object that is not here at all, as where it was nested too deep (`depth`): of the canonical form whatever it
 * is, since nothing else tells its type.
 *
 * @returns `undefined` as `hashOf` does
 */
export function hashOfForm(node: ValueNode, sha256: Sha256, limit?: number): string | undefined {
  const form = canonical(node, limit);
  return form === undefined || form.gaps.size > 0 ? undefined : sha256(form.text);
}
