/** Runs one task per account at a time, in order of arrival. Accounts do not wait for each other. */
export class Lanes {
  private readonly last = new Map<string, Promise<void>>();

  run<T>(account: string, work: () => Promise<T>): Promise<T> {
    const result = (this.last.get(account) ?? Promise.resolve()).then(work);
    const done = result.then(
      () => undefined,
      () => undefined,
    );
    this.last.set(account, done);
    void done.then(() => {
      if (this.last.get(account) === done) this.last.delete(account);
    });
    return result;
  }
}
