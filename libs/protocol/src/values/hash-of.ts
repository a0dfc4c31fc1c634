import { base64Bytes } from './bytes.js';
import { canonical } from './canonical.js';
import type { ValueNode } from './value-node.js';

/** SHA-256 in lower-case hex; texts are hashed as UTF-8. The caller provides it, because browsers have only an asynchronous one. */
export type Sha256 = (data: string | Uint8Array) => string;

/** UTF-8 cannot represent it. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The hash of a whole value as in the note on a cut (`sha256`): a text is hashed as UTF-8, bytes as they are, other values by
 * their canonical form.
 *
 * @returns `undefined` if the canonical form has gaps or exceeds `limit`
 */
export function hashOf(node: ValueNode, sha256: Sha256, limit?: number): string | undefined {
  if (node.kind === 'string' && node.cut === undefined && !LONE_SURROGATE.test(node.value))
    return sha256(node.value);
  if (node.kind === 'bytes' && node.cut === undefined) return sha256(base64Bytes(node.base64));
  return hashOfForm(node, sha256, limit);
}

/**
 * The hash of a value that was dropped completely, such as below the depth limit (`depth`). It always uses the canonical form,
 * which includes the type.
 *
 * @returns `undefined` in the same cases as `hashOf`
 */
export function hashOfForm(node: ValueNode, sha256: Sha256, limit?: number): string | undefined {
  const form = canonical(node, limit);
  return form === undefined || form.gaps.size > 0 ? undefined : sha256(form.text);
}
