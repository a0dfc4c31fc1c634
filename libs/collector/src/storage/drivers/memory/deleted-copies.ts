/** Traces of which no copy is made any more. */
export class DeletedCopies {
  private readonly accounts = new Map<string, Set<string>>();

  add(accountId: string, traceIds: readonly string[]): void {
    const known = this.accounts.get(accountId) ?? new Set();
    this.accounts.set(accountId, known);
    for (const id of traceIds) known.add(id);
  }

  has(accountId: string, traceId: string | undefined): boolean {
    return traceId !== undefined && this.accounts.get(accountId)?.has(traceId) === true;
  }

  deleteAccount(accountId: string): void {
    this.accounts.delete(accountId);
  }
}
