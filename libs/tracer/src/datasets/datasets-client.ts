import type { Client } from '@dacapo/client';
import type {
  AddDatasetVersionAnswer,
  AddDatasetVersionRequest,
  DatasetDetail,
  DatasetSummary,
  DatasetVersion,
  RefusedEntry,
} from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import type { Codec } from '../options/capture-options.js';
import type { RecordedCalls } from '../options/evaluate-options.js';
import type { ServiceClient } from '../service/service-client.js';
import type { ChangeOptions, RunItemSelection } from './add-to-dataset.js';
import type { DatasetEntry, DatasetExample } from './dataset-entry.js';

/** The version with the added items, and the result of each entry. */
export interface AddedToDataset extends DatasetVersion {
  /** Number of entries that the dataset already had. */
  unchanged: number;
  /** Rejected entries, by index from 0. The other entries are added. */
  rejected: RefusedEntry[];
  /** Number of calls that the selection skipped, by reason. */
  skipped?: Record<string, number>;
}

export interface DatasetsClientParts {
  readonly service: () => Promise<ServiceClient>;
  readonly capturer: Capturer;
  readonly codecs: readonly Codec[];
}

/**
 * The datasets of an account: named sets of examples, in versions that never change. All methods have these errors:
 *
 * @throws ServiceResponseError (404 for an unknown dataset), ServiceUnreachableError, TracingDisabledError
 */
export class DatasetsClient {
  /** Private, so that printing the client does not show the key. */
  readonly #parts: DatasetsClientParts;

  constructor(parts: DatasetsClientParts) {
    this.#parts = parts;
  }

  /** @param name letters, digits, dots, dashes and underscores; an existing name fails with status 409 */
  async create(name: string, options: { description?: string } = {}): Promise<DatasetDetail> {
    return (await this.api()).create({ name, ...options });
  }

  /** Returns all datasets, sorted by name. */
  async list(): Promise<DatasetSummary[]> {
    const all: DatasetSummary[] = [];
    const service = await this.#parts.service();
    for await (const some of service.pages((api, page) => api.datasets.list(page))) all.push(...some);
    return all;
  }

  /** Returns a dataset with its versions, latest first. */
  async get(name: string): Promise<DatasetDetail> {
    return (await this.api()).get({ name });
  }

  /**
   * Creates a version with additional items: a list, stored calls with a key, or items of a test run.
   *
   * Values keep their types, and secrets are masked as in spans. The result lists invalid entries, which are skipped. More than 8 MB
   * of entries create several versions; the last one has all items. Items that the dataset already has change nothing.
   *
   * @throws InvalidOptionError when the selection of calls is invalid
   */
  async add(
    name: string,
    what: Iterable<DatasetEntry> | AsyncIterable<DatasetEntry> | RecordedCalls | RunItemSelection,
    options: ChangeOptions = {},
  ): Promise<AddedToDataset> {
    const { addToDataset } = await import('./add-to-dataset.js');
    return addToDataset(what, options, this.#parts.capturer, (request) => this.change(name, request));
  }

  /** The items of a version, in the order in which they were added. @param options.version default: the latest */
  async *items(name: string, options: { version?: number } = {}): AsyncGenerator<DatasetExample> {
    const version = options.version ?? (await this.get(name)).latest_version;
    const { readItems } = await import('./dataset-entry.js');
    yield* readItems(await this.#parts.service(), name, version, this.#parts.codecs);
  }

  /** Creates a version without these items. Unknown ids change nothing. */
  remove(name: string, ids: readonly string[], options: ChangeOptions = {}): Promise<AddedToDataset> {
    return this.change(name, { ...options, remove: [...ids] });
  }

  /** Deletes a dataset with all versions and copies. Results of its test runs stay. */
  async delete(name: string): Promise<void> {
    await (await this.api()).delete({ name });
  }

  private async change(name: string, request: AddDatasetVersionRequest): Promise<AddDatasetVersionAnswer> {
    return (await this.api()).addVersion({ name, ...request });
  }

  private async api(): Promise<Client['datasets']> {
    return (await (await this.#parts.service()).api()).datasets;
  }
}
