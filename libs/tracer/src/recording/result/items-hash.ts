import { canonical, type JsonValue, readValue } from '@dacapo/protocol';
import { decodeText } from '../../byte-string.js';
import type { Captured } from '../../capture/captured.js';
import type { KeyedHash } from '../../hashing.js';

/** What of a stream is hashed: some 40 ms in all. */
const HASHED_BYTES = 8 * 1024 * 1024;
const CONTAINER = /^[[{]/;

/**
 * The hash of a list of items that come one by one, as `hashOf` of the protocol has it of the whole list. It is keyed always: a secret may be
 * split over items of which none is kept.
 */
export class ItemsHash {
  private left = HASHED_BYTES;
  private isFirst = true;
  private undefinedItems = 0;

  /** @param hash `undefined`: there is none */
  constructor(private hash: KeyedHash | undefined) {
    hash?.update('[');
  }

  add(item: Captured): void {
    const { hash } = this;
    if (hash === undefined) return;
    this.left -= item.size;
    const text = this.left < 0 ? undefined : canonicalText(item);
    if (text === undefined) this.hash = undefined;
    else if (text === UNDEFINED) this.undefinedItems++;
    else this.append(text);
  }

  /** @returns `undefined` where an item is not whole, masked, or not known in all its parts, and of more than 8 MiB */
  digest(): string | undefined {
    this.endRun();
    return this.hash?.update(']').digest();
  }

  private append(text: string): void {
    this.endRun();
    this.hash?.update(this.isFirst ? text : `,${text}`);
    this.isFirst = false;
  }

  private endRun(): void {
    const count = this.undefinedItems;
    this.undefinedItems = 0;
    if (count > 0) this.append(count === 1 ? UNDEFINED : `${UNDEFINED}*${count}`);
  }
}

const UNDEFINED = 'undefined';

function canonicalText({ utf8, json, meta }: Captured): string | undefined {
  // JSON of a single value is its own canonical form.
  if (meta === undefined && !CONTAINER.test(utf8)) return decodeText(utf8);
  const form = canonical(readValue({ json: JSON.parse(json) as JsonValue, meta }));
  return form === undefined || form.gaps.size > 0 ? undefined : form.text;
}
