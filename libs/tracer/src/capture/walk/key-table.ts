const KEYS_KEPT = 2048;
const KEPT_LENGTH = 64;

/** A property name as it stands in the text, and whether it calls for redaction. */
export interface KeyEntry {
  /** UTF-8 of `,"name":`. The first of an object has its comma made a brace. Absent until the name has come back. */
  readonly bytes: Uint8Array | undefined;
  readonly isSuspect: boolean;
}

/** Property names, written and judged once each: the same few come back in every call. */
export class KeyTable {
  private readonly entries = new Map<string, { bytes: Uint8Array | undefined; isSuspect: boolean }>();

  constructor(private readonly isSuspect: (key: string) => boolean) {}

  get(key: string): KeyEntry {
    const entry = this.entries.get(key);
    if (entry === undefined) return this.add(key);
    entry.bytes ??= new Uint8Array(Buffer.from(`,${JSON.stringify(key)}:`));
    return entry;
  }

  private add(key: string): KeyEntry {
    const entry = { bytes: undefined, isSuspect: this.isSuspect(key) };
    if (key.length > KEPT_LENGTH) return entry;
    if (this.entries.size >= KEYS_KEPT) this.entries.clear();
    this.entries.set(key, entry);
    return entry;
  }
}
