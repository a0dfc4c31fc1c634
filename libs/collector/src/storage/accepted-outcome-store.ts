import type { Acceptance, BaselineOutcome } from '@dacapo/protocol';
import type { ItemKey, SelectedRef } from './test-run-store.js';

/** How an accepted call ended. */
export type AcceptedOutcome = Pick<BaselineOutcome, 'output' | 'error' | 'meta'>;

export interface NewAcceptance {
  traceFunctionKey: string;
  /** What the item played: see {@link sourceOf}. */
  source: string;
  testRunId: string;
  item: ItemKey;
  acceptance: Acceptance;
  /** A copy: it stays when the spans of the run are deleted. */
  outcome: AcceptedOutcome;
}

/**
 * Outcomes that people accepted. They are never changed: of those of one key and source the last one that was not taken back
 * is in force. Every method sees one account's data alone.
 */
export interface AcceptedOutcomeStore {
  add(accountId: string, acceptance: NewAcceptance): Promise<void>;
  /** Takes back what was accepted from this item. @returns whether there was something */
  takeBack(accountId: string, testRunId: string, item: ItemKey, takenBackAt: string): Promise<boolean>;
  /** The numbers of the outcomes in force, by source; those without one are skipped. */
  findInForce(
    accountId: string,
    traceFunctionKey: string,
    sources: readonly string[],
  ): Promise<Map<string, number>>;
  /** By number, those that were taken back meanwhile too. */
  read(accountId: string, numbers: readonly number[]): Promise<Map<number, AcceptedOutcome>>;
  /** What was accepted from these items and not taken back. */
  listOfItems(
    accountId: string,
    testRunId: string,
    items: readonly ItemKey[],
  ): Promise<{ item: ItemKey; acceptance: Acceptance }[]>;
}

/** What tells a played call, or an item of a dataset, in later runs; `undefined` where nothing does. */
export function sourceOf({ trace_id, span_id, dataset_item_id }: Partial<SelectedRef>): string | undefined {
  if (dataset_item_id !== undefined) return `item/${dataset_item_id}`;
  return trace_id === undefined || span_id === undefined ? undefined : `call/${trace_id}/${span_id}`;
}
