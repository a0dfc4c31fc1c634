import {
  type AddDatasetVersionAnswer,
  type AddDatasetVersionRequest,
  type DatasetDetail,
  type DatasetItem,
  type DatasetSummary,
  type DatasetVersion,
  type Page,
  type RefusedEntry,
  routePath,
  ROUTES,
  type Verdict,
} from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import type { Codec } from '../capture/codec.js';
import { InvalidOptionError } from '../errors.js';
import type { CallsOfKey } from '../options/evaluate-options.js';
import { bodyOf, type ServiceClient } from '../service/service-client.js';
import type { EntryToAdd } from './add-in-batches.js';
import type { DatasetEntry, DatasetExample } from './dataset-entry.js';

const PAGE_SIZE = 200;

/** Items of a test run, with what they were compared with as the expected value. */
export interface ItemsOfRun {
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

/** The version that holds what was added, and what became of each entry. */
export interface AddedToDataset extends DatasetVersion {
  /** Entries that the dataset had already. */
  unchanged: number;
  /** Entries that were not taken, by their place in the list, from 0. They never harm their neighbours. */
  rejected: RefusedEntry[];
  /** Calls that the selection left out, by reason. */
  skipped?: Record<string, number>;
}

export interface DatasetsClientParts {
  readonly service: () => ServiceClient;
  readonly capturer: Capturer;
  readonly codecs: readonly Codec[];
}

/**
 * Datasets of the account: named sets of examples, in versions that never change. Every method throws the same:
 *
 * @throws ServiceResponseError (404 for an unknown dataset), ServiceUnreachableError, TracingDisabledError
 */
export class DatasetsClient {
  /** Not shown when the client is printed: it holds what knows the key. */
  readonly #parts: DatasetsClientParts;

  constructor(parts: DatasetsClientParts) {
    this.#parts = parts;
  }

  /** @param name letters, digits, dots, dashes and underscores; a name that is taken is answered with 409 */
  create(name: string, options: { description?: string } = {}): Promise<DatasetDetail> {
    return this.#parts.service().post<DatasetDetail>(ROUTES.datasets, { name, ...options }, 'name');
  }

  /** All of them, by name. */
  async list(): Promise<DatasetSummary[]> {
    const all: DatasetSummary[] = [];
    for await (const dataset of this.pages<DatasetSummary>(ROUTES.datasets)) all.push(dataset);
    return all;
  }

  /** One, with its versions, the latest first. */
  get(name: string): Promise<DatasetDetail> {
    return this.#parts.service().get<DatasetDetail>(routePath(ROUTES.dataset, { name }), 'versions');
  }

  /**
   * Makes a version with more items: a list, stored calls of a key, or items of a test run.
   *
   * Types of values are kept, secrets are masked as in spans. A bad entry of a list is left out and told of; more than 8 MB
   * of them become several versions, of which the last has all. What the dataset has already changes nothing.
   *
   * @throws InvalidOptionError when the selection of calls cannot work
   */
  async add(
    name: string,
    what: Iterable<DatasetEntry> | AsyncIterable<DatasetEntry> | CallsOfKey | ItemsOfRun,
    options: ChangeOptions = {},
  ): Promise<AddedToDataset> {
    if ('testRunId' in what) {
      const { testRunId: id, itemNos, verdict } = what;
      const from_test_run = {
        id,
        ...(itemNos && { item_nos: [...itemNos] }),
        ...(verdict !== undefined && { verdict }),
      };
      return this.change(name, { ...options, from_test_run });
    }
    if (isList(what)) {
      const { addInBatches } = await import('./add-in-batches.js');
      const { base, ...note } = options;
      // The next ones go on from what the first one made.
      return addInBatches(this.toAdd(what), (items, isFirst) =>
        this.change(name, { ...note, ...(isFirst && base !== undefined && { base }), items }),
      );
    }
    const { key, ...selection } = what;
    if (typeof key !== 'string' || key.trim() === '')
      throw new InvalidOptionError(
        'datasets.add.key',
        'must be a string that is not blank',
        'Name the trace function key of the calls, or give a list of items.',
      );
    const { selectionOf } = await import('../options/selection-options.js');
    const from_calls = { trace_function_key: key, selection: selectionOf('datasets.add.', selection) };
    return this.change(name, { ...options, from_calls });
  }

  /** The items of a version, in the order in which they were added. @param options.version default: the latest */
  async *items(name: string, options: { version?: number } = {}): AsyncGenerator<DatasetExample> {
    const version =
      options.version ??
      (await this.#parts.service().get<DatasetSummary>(routePath(ROUTES.dataset, { name }), 'name'))
        .latest_version;
    const { decodeItem } = await import('./dataset-entry.js');
    const path = routePath(ROUTES.datasetItems, { name, version: String(version) });
    for await (const item of this.pages<DatasetItem>(path)) yield decodeItem(item, this.#parts.codecs);
  }

  /** Makes a version without these items. Ids that it does not have change nothing. */
  remove(name: string, ids: readonly string[], options: ChangeOptions = {}): Promise<AddedToDataset> {
    return this.change(name, { ...options, remove: [...ids] });
  }

  /** With all its versions and copies. Runs over it keep what they came to. */
  async delete(name: string): Promise<void> {
    const path = routePath(ROUTES.dataset, { name });
    bodyOf(await this.#parts.service().send('DELETE', path, {}), `DELETE ${path}`, []);
  }

  private async *toAdd(
    entries: Iterable<DatasetEntry> | AsyncIterable<DatasetEntry>,
  ): AsyncGenerator<EntryToAdd> {
    const { encodeEntry } = await import('./dataset-entry.js');
    let index = 0;
    for await (const entry of entries) {
      const item = encodeEntry(entry, this.#parts.capturer);
      yield { index: index++, ...(typeof item === 'string' ? { detail: item } : { item }) };
    }
  }

  private change(name: string, request: AddDatasetVersionRequest): Promise<AddDatasetVersionAnswer> {
    const path = routePath(ROUTES.datasetVersions, { name });
    return this.#parts.service().post<AddDatasetVersionAnswer>(path, request, 'version', 'rejected');
  }

  private async *pages<T>(path: string): AsyncGenerator<T> {
    let cursor: string | undefined;
    do {
      const query = new URLSearchParams({
        limit: String(PAGE_SIZE),
        ...(cursor !== undefined && { cursor }),
      });
      const page = await this.#parts.service().get<Page<T>>(`${path}?${query.toString()}`, 'items');
      yield* page.items;
      cursor = page.next_cursor;
    } while (cursor !== undefined);
  }
}

function isList(
  what: Iterable<DatasetEntry> | AsyncIterable<DatasetEntry> | CallsOfKey,
): what is Iterable<DatasetEntry> | AsyncIterable<DatasetEntry> {
  return Symbol.iterator in what || Symbol.asyncIterator in what;
}
