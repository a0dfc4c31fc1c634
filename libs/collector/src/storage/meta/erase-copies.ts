import type { RunItemsOf } from '../ports/copies.js';
import type { Copies } from './copies.js';
import type { Media } from './media.js';

const COPIES_AT_ONCE = 200;

type CopyStore = Pick<
  Copies,
  'eraseCopies' | 'eraseRunItems' | 'eraseSelected' | 'listReplays' | 'listRunItems'
>;

export interface CopiesToErase {
  forgetAt: string;
  /** Also erases items of datasets and accepted outcomes. */
  withDatasets: boolean;
  /** The deletion that counts them. Absent: they are not counted. */
  deletionId?: string;
}

/** Erases the copies of these traces, in parts. Call it before deleting the traces, because they lead to the copies. */
export async function eraseTraceCopies(
  copies: CopyStore,
  accountId: string,
  traceIds: readonly string[],
  { forgetAt, withDatasets, deletionId }: CopiesToErase,
): Promise<void> {
  if (withDatasets) {
    const part = { forgetAt, most: COPIES_AT_ONCE, ...(deletionId !== undefined && { deletionId }) };
    while (!(await copies.eraseCopies(accountId, traceIds, part)).isDone);
  }
  await eraseRunItems(copies, accountId, { traceIds, withDatasets }, deletionId);
  const selected = { withDatasets, most: COPIES_AT_ONCE };
  while (!(await copies.eraseSelected(accountId, traceIds, selected)));
}

export async function eraseRunItems(
  copies: CopyStore,
  accountId: string,
  filter: RunItemsOf,
  deletionId?: string,
): Promise<void> {
  for (;;) {
    const refs = await copies.listRunItems(accountId, filter, COPIES_AT_ONCE);
    if (refs.length === 0) return;
    await copies.eraseRunItems(accountId, refs, deletionId);
  }
}

/**
 * Erases the copies and media of traces that, by a late record, belong to a deleted session or user.
 *
 * @returns the traces to delete: these, and those of their replays, which contain the recorded inputs
 */
export async function eraseLateTraceCopies(
  { copies, media }: { copies: CopyStore; media: Pick<Media, 'release'> },
  accountId: string,
  traceIds: readonly string[],
  forgetAt: string,
): Promise<string[]> {
  const all = [...new Set([...traceIds, ...(await copies.listReplays(accountId, traceIds))])];
  await eraseTraceCopies(copies, accountId, all, { forgetAt, withDatasets: true });
  await media.release(accountId, all);
  return all;
}
