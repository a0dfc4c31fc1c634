import { wrapWith as wrapWithDacapo } from './dacapo.mjs';

/** Records the same as the peers: no chunks and no masking. */
export const wrapWith = (url) =>
  wrapWithDacapo(url, { chunks: false, redactPatterns: false, redactKeys: false });
