import { base64Bytes } from './bytes.js';
import { hashCanonicalForm, type Sha256 } from './hash-canonical-form.js';
import type { ValueNode } from './value-node.js';

/** UTF-8 cannot represent it. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The hash of a whole value as in the note on a cut (`sha256`): a text is hashed as UTF-8, bytes as they are, other values by
 * their canonical form.
 *
 * @returns `undefined` if the canonical form has gaps or exceeds `limit`
 */
export function hashNode(node: ValueNode, sha256: Sha256, limit?: number): string | undefined {
  if (node.kind === 'string' && node.cut === undefined && !LONE_SURROGATE.test(node.value))
    return sha256(node.value);
  if (node.kind === 'bytes' && node.cut === undefined) return sha256(base64Bytes(node.base64));
  return hashCanonicalForm(node, sha256, limit);
}
