const KEYS_KEPT = 2048;
const KEPT_LENGTH = 64;

/** What a property name indicates. An object with `name` and `value` may be a header: `{ name: 'x-api-key', value: '…' }`. */
export const KEY_FLAGS = { suspect: 1, name: 2, value: 4 } as const;

/** A property name in its written form, and what it indicates: a sum of `KEY_FLAGS`. */
export interface KeyEntry {
  /** UTF-8 of `,"name":`. For the first property of an object, the comma becomes a brace. Absent until the name occurs again. */
  readonly bytes: Uint8Array | undefined;
  readonly flags: number;
}

/** Encodes and classifies each property name once, because calls repeat the same few names. */
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
