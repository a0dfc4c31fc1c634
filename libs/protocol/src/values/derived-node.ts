import type { Cut } from './notes.js';

/** What is made when it is first asked for, and kept: the entries of a node, which are nodes in turn. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** A cut of what a part was left out of besides: a hash of the whole proves nothing of the rest. */
export function unproven(cut: Cut): Cut {
  return { ...cut, sha256: undefined, hmac: undefined, sampledSha256: undefined };
}

/** Fields of a node that a part was left out of. */
export function withoutProof({ cut }: { readonly cut: Cut | undefined }): {
  cut: Cut | undefined;
  isPlain: false;
} {
  return { cut: cut && unproven(cut), isPlain: false };
}
