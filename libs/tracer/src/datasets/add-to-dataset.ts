import type { AddDatasetVersionAnswer, AddDatasetVersionRequest, Verdict } from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import { InvalidOptionError } from '../errors.js';
import type { RecordedCalls } from '../options/evaluate-options.js';
import { resolveSelection } from '../options/selection-options.js';
import { addInBatches, type EntryToAdd } from './add-in-batches.js';
import { type DatasetEntry, encodeEntry } from './dataset-entry.js';

/** Items of a test run. Their baseline becomes the expected value. */
export interface RunItemSelection {
  readonly testRunId: string;
  /** Default: all of them. */
  readonly itemNos?: readonly number[];
  readonly verdict?: Verdict;
}

export interface ChangeOptions {
  /** The version to start from. Default: the latest; 0 for none. */
  readonly base?: number;
  /** Why the version was made. */
  readonly note?: string;
}

type Entries = Iterable<DatasetEntry> | AsyncIterable<DatasetEntry>;

/**
 * Sends the argument of `datasets.add`: a list in as many requests as needed, stored calls or items of a run in one.
 *
 * @param send creates a version
 * @throws InvalidOptionError when the selection of calls is invalid; errors of `send`
 */
export async function addToDataset(
  what: Entries | RecordedCalls | RunItemSelection,
  options: ChangeOptions,
  capturer: Capturer,
  send: (request: AddDatasetVersionRequest) => Promise<AddDatasetVersionAnswer>,
): Promise<AddDatasetVersionAnswer> {
  if ('testRunId' in what) {
    const { testRunId: id, itemNos, verdict } = what;
    const from_test_run = {
      id,
      ...(itemNos && { item_nos: [...itemNos] }),
      ...(verdict !== undefined && { verdict }),
    };
    return send({ ...options, from_test_run });
  }
  if (isList(what)) {
    const { base, ...note } = options;
    // Later requests start from the version that the first one created.
    return addInBatches(encodeAll(what, capturer), (items, isFirst) =>
      send({ ...note, ...(isFirst && base !== undefined && { base }), items }),
    );
  }
  const { key, ...selection } = what;
  if (typeof key !== 'string' || key.trim() === '')
    throw new InvalidOptionError(
      'datasets.add.key',
      'must be a string that is not blank',
      'Pass the trace function key of the calls, or a list of items.',
    );
  const from_calls = { trace_function_key: key, selection: resolveSelection('datasets.add.', selection) };
  return send({ ...options, from_calls });
}

async function* encodeAll(entries: Entries, capturer: Capturer): AsyncGenerator<EntryToAdd> {
  let index = 0;
  for await (const entry of entries) {
    const item = encodeEntry(entry, capturer);
    yield { index: index++, ...(typeof item === 'string' ? { detail: item } : { item }) };
  }
}

function isList(what: Entries | RecordedCalls): what is Entries {
  return Symbol.iterator in what || Symbol.asyncIterator in what;
}
