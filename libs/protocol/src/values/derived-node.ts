import type { Cut } from './notes.js';

/** Computes a value on the first call and caches it, such as the entries of a node. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** A cut without its hashes: a hash of the whole proves nothing after a part was dropped. */
export function dropHashes(cut: Cut): Cut {
  return { ...cut, sha256: undefined, hmac: undefined, sampledSha256: undefined };
}

/** Fields of a node of which a part was dropped. */
export function withoutHashes({ cut }: { readonly cut: Cut | undefined }): {
  cut: Cut | undefined;
  isPlain: false;
} {
  return { cut: cut && dropHashes(cut), isPlain: false };
}
