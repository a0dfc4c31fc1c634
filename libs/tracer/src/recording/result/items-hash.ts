import { canonical, type JsonValue, readValue } from '@dacapo/protocol';
import { decodeText } from '../../byte-string.js';
import type { Captured } from '../../capture/captured.js';
import type { KeyedHash } from '../../hashing.js';

/** Maximum number of hashed bytes per stream, which takes about 40 ms. */
const HASHED_BYTES = 8 * 1024 * 1024;
const CONTAINER = /^[[{]/;

/**
 * Hashes a list whose items arrive one by one. The result equals `hashNode` of the protocol for the whole list. It is always keyed,
 * because a secret may be split across items that are not kept.
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

  /** @returns `undefined` if an item was cut, masked or partly unknown, or for more than 8 MiB */
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
  // The JSON of a primitive value is its canonical form.
  if (meta === undefined && !CONTAINER.test(utf8)) return decodeText(utf8);
  const form = canonical(readValue({ json: JSON.parse(json) as JsonValue, meta }));
  return form === undefined || form.gaps.size > 0 ? undefined : form.text;
}
