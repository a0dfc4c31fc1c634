import type { AddDatasetVersionAnswer, DatasetItemInput, RefusedEntry } from '@dacapo/protocol';

/** Size limit of one request. Each further request creates another version. */
const REQUEST_CHARACTERS = 8 * 1024 * 1024;

/** An entry to add, or why it cannot be added, with its index for messages. */
export type EntryToAdd = { readonly index: number } & (
  { readonly item: DatasetItemInput } | { readonly detail: string }
);

/**
 * Adds items to a dataset in as many requests as needed; without items, in one empty request.
 *
 * @param send creates a version with these items. Only the first request names the version to start from
 * @returns the last version, and the results of all entries
 * @throws errors of `send`
 */
export async function addInBatches(
  entries: Iterable<EntryToAdd> | AsyncIterable<EntryToAdd>,
  send: (items: DatasetItemInput[], isFirst: boolean) => Promise<AddDatasetVersionAnswer>,
): Promise<AddDatasetVersionAnswer> {
  const rejected: RefusedEntry[] = [];
  let batch: { readonly index: number; readonly item: DatasetItemInput }[] = [];
  let characters = 0;
  let sum: AddDatasetVersionAnswer | undefined;
  const sendBatch = async (): Promise<AddDatasetVersionAnswer> => {
    const answer = await send(
      batch.map(({ item }) => item),
      sum === undefined,
    );
    for (const { index, detail } of answer.rejected)
      rejected.push({ index: batch[index]?.index ?? index, detail });
    [batch, characters] = [[], 0];
    return sum === undefined ? answer : addUp(sum, answer);
  };
  for await (const entry of entries) {
    if ('detail' in entry) {
      rejected.push({ index: entry.index, detail: entry.detail });
      continue;
    }
    const { length } = JSON.stringify(entry.item);
    if (characters > 0 && characters + length > REQUEST_CHARACTERS) sum = await sendBatch();
    batch.push(entry);
    characters += length;
  }
  if (sum === undefined || batch.length > 0) sum = await sendBatch();
  return { ...sum, rejected: rejected.sort((left, right) => left.index - right.index) };
}

function addUp(sum: AddDatasetVersionAnswer, answer: AddDatasetVersionAnswer): AddDatasetVersionAnswer {
  return {
    ...answer,
    base: sum.base,
    added: sum.added + answer.added,
    removed: sum.removed + answer.removed,
    unchanged: sum.unchanged + answer.unchanged,
  };
}
