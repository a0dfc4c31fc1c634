import type { Acceptance } from '@dacapo/protocol';
import type { AcceptedOutcome, AcceptedOutcomeStore, NewAcceptance } from '../../accepted-outcome-store.js';
import type { ItemKey } from '../../test-run-store.js';

interface Accepted extends NewAcceptance {
  accountId: string;
  isTakenBack: boolean;
}

/** An outcome's number is its place, so that one that is deleted leaves a gap. */
export class MemoryAcceptedOutcomeStore implements AcceptedOutcomeStore {
  private readonly accepted: (Accepted | undefined)[] = [];

  add(accountId: string, acceptance: NewAcceptance): Promise<void> {
    this.accepted.push({ ...acceptance, accountId, isTakenBack: false });
    return Promise.resolve();
  }

  takeBack(accountId: string, testRunId: string, item: ItemKey): Promise<boolean> {
    const found = this.inForce(accountId).filter(
      ([, one]) => one.testRunId === testRunId && one.item.join() === item.join(),
    );
    for (const [, one] of found) one.isTakenBack = true;
    return Promise.resolve(found.length > 0);
  }

  findInForce(
    accountId: string,
    traceFunctionKey: string,
    sources: readonly string[],
  ): Promise<Map<string, number>> {
    const found = this.inForce(accountId).filter(
      ([, one]) => one.traceFunctionKey === traceFunctionKey && sources.includes(one.source),
    );
    return Promise.resolve(new Map(found.map(([number, { source }]) => [source, number])));
  }

  read(accountId: string, numbers: readonly number[]): Promise<Map<number, AcceptedOutcome>> {
    const found = numbers.flatMap((number): [number, AcceptedOutcome][] => {
      const one = this.accepted[number];
      return one?.accountId === accountId ? [[number, one.outcome]] : [];
    });
    return Promise.resolve(new Map(found));
  }

  listOfItems(
    accountId: string,
    testRunId: string,
    items: readonly ItemKey[],
  ): Promise<{ item: ItemKey; acceptance: Acceptance }[]> {
    const wanted = new Set(items.map((item) => item.join()));
    return Promise.resolve(
      this.inForce(accountId)
        .map(([, one]) => one)
        .filter((one) => one.testRunId === testRunId && wanted.has(one.item.join()))
        .map(({ item, acceptance }) => ({ item, acceptance })),
    );
  }

  /** Whether something was accepted from this item and not taken back. */
  isAccepted(accountId: string, testRunId: string, item: ItemKey): boolean {
    return this.inForce(accountId).some(
      ([, one]) => one.testRunId === testRunId && one.item.join() === item.join(),
    );
  }

  /** @returns how many */
  deleteWhere(accountId: string, isMeant: (one: NewAcceptance) => boolean): number {
    const meant = [...this.accepted.entries()].filter(
      ([, one]) => one?.accountId === accountId && isMeant(one),
    );
    for (const [number] of meant) this.accepted[number] = undefined;
    return meant.length;
  }

  deleteSources(accountId: string, sources: ReadonlySet<string>): void {
    for (const [number, one] of this.accepted.entries()) {
      if (one?.accountId === accountId && sources.has(one.source)) this.accepted[number] = undefined;
    }
  }

  deleteAccount(accountId: string): void {
    for (const [number, one] of this.accepted.entries()) {
      if (one?.accountId === accountId) this.accepted[number] = undefined;
    }
  }

  private inForce(accountId: string): [number, Accepted][] {
    return [...this.accepted.entries()].filter(
      (entry): entry is [number, Accepted] => entry[1]?.accountId === accountId && !entry[1].isTakenBack,
    );
  }
}
