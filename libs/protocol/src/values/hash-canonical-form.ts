import { canonical } from './canonical.js';
import type { ValueNode } from './value-node.js';

/** SHA-256 in lower-case hex; texts are hashed as UTF-8. The caller provides it, because browsers have only an asynchronous one. */
export type Sha256 = (data: string | Uint8Array) => string;

/**
 * The hash of a value that was dropped completely, such as below the depth limit (`depth`). It always uses the canonical form,
 * which includes the type.
 *
 * @returns `undefined` in the same cases as `hashNode`
 */
export function hashCanonicalForm(node: ValueNode, sha256: Sha256, limit?: number): string | undefined {
  const form = canonical(node, limit);
  return form === undefined || form.gaps.size > 0 ? undefined : sha256(form.text);
}
