import { pageAddress } from '@dacapo/indexes/crawl';
import { LIMITS } from '@dacapo/protocol';
import { AddressInvalidError } from '../errors.js';

/** Parses an address from the command line. @throws AddressInvalidError */
export function readAddress(text: string): URL {
  const url = pageAddress(text);
  if (url) return url;
  if (URL.canParse(text) && /^https?:/.test(text)) {
    const { username, password } = new URL(text);
    throw username === '' && password === ''
      ? new AddressInvalidError(
          text.slice(0, 100),
          `Pass an address of at most ${LIMITS.sourceLength} characters.`,
        )
      : new AddressInvalidError(
          'An address with a user name or password',
          'Remove both: search results show the address.',
        );
  }
  const guess = pageAddress(`https://${text.replace(/^(?:\w+:)?\/*/, '')}`);
  const example =
    guess && /\.|^localhost/.test(guess.hostname) ? guess.href : 'https://docs.example.com/llms.txt';
  throw new AddressInvalidError(text.slice(0, 100), `Write it like ${example}.`);
}

/** Accepts `api.example.com` or a URL of that host. @throws AddressInvalidError */
export function readHost(text: string): string {
  const url = pageAddress(/^https?:\/\//.test(text) ? text : `https://${text}`);
  if (url && !/[\s/]/.test(url.host)) return url.host;
  throw new AddressInvalidError(text.slice(0, 100), 'Pass a host, such as api.example.com.');
}
