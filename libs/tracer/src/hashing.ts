import type * as Crypto from 'node:crypto';

let loaded: typeof Crypto | undefined;

/** SHA-256 of the concatenated parts, in lower-case hex. */
export function sha256(...parts: (string | Uint8Array)[]): string {
  const hash = crypto().createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** HMAC-SHA-256 of `data` under `key`, in lower-case hex. */
export function hmacSha256(key: string, data: string | Uint8Array): string {
  return crypto().createHmac('sha256', key).update(data).digest('hex');
}

/** HMAC-SHA-256 of data that arrives in pieces. */
export interface KeyedHash {
  update(text: string): KeyedHash;
  /** Returns the hash in lower-case hex. Call it once. */
  digest(): string;
}

export function newKeyedHash(key: string): KeyedHash {
  const hmac = crypto().createHmac('sha256', key);
  return {
    update(text) {
      hmac.update(text);
      return this;
    },
    digest: () => hmac.digest('hex'),
  };
}

/** Loaded at the first hash. With the streams that it loads, it takes a third as long as the rest of this package. */
function crypto(): typeof Crypto {
  return (loaded ??= process.getBuiltinModule('node:crypto'));
}
