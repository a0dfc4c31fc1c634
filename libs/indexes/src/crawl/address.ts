import { LIMITS } from '@dacapo/protocol';

/** @returns the URL without its fragment; `undefined` when the text is not a valid page address */
export function pageAddress(text: string, base?: URL): URL | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || !URL.canParse(trimmed, base?.href)) return undefined;
  const url = new URL(trimmed, base);
  url.hash = '';
  const isPage = /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isPage && url.href.length <= LIMITS.sourceLength ? url : undefined;
}
