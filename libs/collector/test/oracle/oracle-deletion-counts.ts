import type { DeletionCounts } from '@dacapo/protocol';

/** What deletions deleted so far. */
export class OracleDeletionCounts {
  private readonly counts = new Map<string, Partial<DeletionCounts>>();

  add(accountId: string, deletionId: string | undefined, more: Partial<DeletionCounts>): void {
    if (deletionId === undefined) return;
    const counts = this.of(accountId, deletionId);
    for (const [name, count] of Object.entries(more) as [keyof DeletionCounts, number][]) {
      counts[name] = (counts[name] ?? 0) + count;
    }
    this.counts.set(`${accountId}/${deletionId}`, counts);
  }

  of(accountId: string, deletionId: string): Partial<DeletionCounts> {
    return { ...this.counts.get(`${accountId}/${deletionId}`) };
  }
}
