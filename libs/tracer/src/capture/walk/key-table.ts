const KEYS_KEPT = 2048;
const KEPT_LENGTH = 64;

/** What a name tells. `name` and `value`: an object that has both may be a header, `{ name: 'x-api-key', value: '…' }`. */
export const KEY_FLAGS = { suspect: 1, name: 2, value: 4 } as const;

/** A property name as it is in the text, and what it tells: a sum of `KEY_FLAGS`. */
export interface KeyEntry {
  /** UTF-8 of `,"name":`. The first of an object has its comma made a brace. Absent until the name has come back. */
  readonly bytes: Uint8Array | undefined;
  readonly flags: number;
}

/** Property names, written and judged once each: the same few come back in every call. */
export class KeyTable {
  private readonly entries = new Map<string, { bytes: Uint8Array | undefined; flags: number }>();

  constructor(private readonly flagName: (key: string) => number) {}

  get(key: string): KeyEntry {
    const entry = this.entries.get(key);
    if (entry === undefined) return this.add(key);
    entry.bytes ??= new Uint8Array(Buffer.from(`,${JSON.stringify(key)}:`));
    return entry;
  }

  private add(key: string): KeyEntry {
    const entry = { bytes: undefined, flags: this.flagName(key) };
    if (key.length > KEPT_LENGTH) return entry;
    if (this.entries.size >= KEYS_KEPT) this.entries.clear();
    this.entries.set(key, entry);
    return entry;
  }
}
