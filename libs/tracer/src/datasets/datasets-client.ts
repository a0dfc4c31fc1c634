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
import type { CallsOfKey } from '../options/evaluate-options.js';
import type { ServiceClient } from '../service/service-client.js';
import type { ChangeOptions, ItemsOfRun } from './add-to-dataset.js';
import type { DatasetEntry, DatasetExample } from './dataset-entry.js';

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
  readonly service: () => Promise<ServiceClient>;
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
  async create(name: string, options: { description?: string } = {}): Promise<DatasetDetail> {
    return (await this.api()).create({ name, ...options });
  }

  /** All of them, by name. */
  async list(): Promise<DatasetSummary[]> {
    const all: DatasetSummary[] = [];
    const service = await this.#parts.service();
    for await (const some of service.pages((api, page) => api.datasets.list(page))) all.push(...some);
    return all;
  }

  /** One, with its versions, the latest first. */
  async get(name: string): Promise<DatasetDetail> {
    return (await this.api()).get({ name });
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
    const { addToDataset } = await import('./add-to-dataset.js');
    return addToDataset(what, options, this.#parts.capturer, (request) => this.change(name, request));
  }

  /** The items of a version, in the order in which they were added. @param options.version default: the latest */
  async *items(name: string, options: { version?: number } = {}): AsyncGenerator<DatasetExample> {
    const version = options.version ?? (await this.get(name)).latest_version;
    const { readItems } = await import('./dataset-entry.js');
    yield* readItems(await this.#parts.service(), name, version, this.#parts.codecs);
  }

  /** Makes a version without these items. Ids that it does not have change nothing. */
  remove(name: string, ids: readonly string[], options: ChangeOptions = {}): Promise<AddedToDataset> {
    return this.change(name, { ...options, remove: [...ids] });
  }

  /** With all its versions and copies. Runs over it keep what they came to. */
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
