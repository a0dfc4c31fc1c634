const KEYS_KEPT = 2048;
const KEPT_LENGTH = 64;

/** A property name as it stands in the text, first in its object or not, and whether its value is secret. */
export interface KeyEntry {
  readonly first: string;
  readonly next: string;
  readonly secret: boolean;
  /** Bytes beyond its characters. */
  readonly wide: number;
}

/** Property names, quoted and judged once each: the same few come back in every call. */
export class KeyTable {
  private readonly entries = new Map<string, KeyEntry>();

  constructor(private readonly isSecret: (key: string) => boolean) {}

  get(key: string): KeyEntry {
    return this.entries.get(key) ?? this.make(key);
  }

  private make(key: string): KeyEntry {
    const text = JSON.stringify(key);
    const entry = {
      first: `{${text}:`,
      next: `,${text}:`,
      secret: this.isSecret(key),
      wide: Buffer.byteLength(text) - text.length,
    };
    if (key.length > KEPT_LENGTH) return entry;
    if (this.entries.size >= KEYS_KEPT) this.entries.clear();
    this.entries.set(key, entry);
    return entry;
  }
}
