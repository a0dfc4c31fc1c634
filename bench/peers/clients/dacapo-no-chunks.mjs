import { wrapWith as wrapWithDacapo } from './dacapo.mjs';

export const wrapWith = (url) => wrapWithDacapo(url, { chunks: false });
