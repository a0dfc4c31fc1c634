import { createHash } from 'node:crypto';

/** How many rows, traces or spans there are, and a checksum of all of them, in whatever order they were read. */
interface Sum {
  count: number;
  checksum: bigint;
}

const WORD = 1n << 256n;

/** What a storage holds, for each account, as counts and checksums. */
export class StorageDigest {
  /** By account and by what is counted: the name of a table, `traces`, `facts` of them, or `spans`. */
  private readonly sums = new Map<string, Map<string, Sum>>();

  add(accountId: string, what: string, value: object): void {
    const ofAccount = this.sums.get(accountId) ?? new Map<string, Sum>();
    this.sums.set(accountId, ofAccount);
    const sum = ofAccount.get(what) ?? { count: 0, checksum: 0n };
    const hash = createHash('sha256').update(JSON.stringify(value, inOrder)).digest('hex');
    ofAccount.set(what, { count: sum.count + 1, checksum: (sum.checksum + BigInt(`0x${hash}`)) % WORD });
  }

  count(accountId: string, what: string): number {
    return this.sums.get(accountId)?.get(what)?.count ?? 0;
  }

  /** @param except what is not counted */
  countAll(accountId: string, except: readonly string[]): number {
    const counted = [...(this.sums.get(accountId)?.keys() ?? [])].filter((what) => !except.includes(what));
    return counted.reduce((count, what) => count + this.count(accountId, what), 0);
  }

  /** The first difference, a phrase; `undefined` when both hold the same. */
  findDifference(copy: StorageDigest): string | undefined {
    for (const accountId of new Set([...this.sums.keys(), ...copy.sums.keys()])) {
      const [mine, theirs] = [this.sums.get(accountId), copy.sums.get(accountId)];
      for (const what of new Set([...(mine?.keys() ?? []), ...(theirs?.keys() ?? [])])) {
        const [count, copied] = [this.count(accountId, what), copy.count(accountId, what)];
        const of = accountId === '' ? what : `${what} of account ${accountId}`;
        if (count !== copied) return `${of}: ${count} in the source, ${copied} in the copy`;
        if (mine?.get(what)?.checksum !== theirs?.get(what)?.checksum) {
          return `${of}: the checksums of ${count} entries differ`;
        }
      }
    }
    return undefined;
  }
}

/** Engines give members in different orders. Of names with NUL, ClickHouse keeps NUL and the others U+FFFD. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value === 'string') return withoutNul(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [withoutNul(name), member] as const);
  return Object.fromEntries(members.sort(([left], [right]) => (left < right ? -1 : 1)));
}

function withoutNul(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}
