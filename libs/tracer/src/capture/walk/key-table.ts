const KEYS_KEPT = 2048;
const KEPT_LENGTH = 64;

/** A property name as it stands in the text, and whether it calls for redaction. */
export interface KeyEntry {
  /** UTF-8 of `,"name":`. The first of an object has its comma made a brace. */
  readonly bytes: Uint8Array;
  readonly isSuspect: boolean;
}

/** Property names, written and judged once each: the same few come back in every call. */
export class KeyTable {
  private readonly entries = new Map<string, KeyEntry>();

  constructor(private readonly isSuspect: (key: string) => boolean) {}

  get(key: string): KeyEntry {
    return this.entries.get(key) ?? this.make(key);
  }

  private make(key: string): KeyEntry {
    const bytes = new Uint8Array(Buffer.from(`,${JSON.stringify(key)}:`));
    const entry = { bytes, isSuspect: this.isSuspect(key) };
    if (key.length > KEPT_LENGTH) return entry;
    if (this.entries.size >= KEYS_KEPT) this.entries.clear();
    this.entries.set(key, entry);
    return entry;
  }
}
