import {
  type AddDatasetVersionAnswer,
  type CreateDatasetRequest,
  type DatasetDetail,
  type DatasetItem,
  type DatasetSummary,
  formatTimestamp,
  LIMITS,
  type Page,
  type RefusedEntry,
} from '@dacapo/protocol';
import { BadRequestException, ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { PAGE_BYTES, type PageRequest, positionOf, takePage } from '../cursor.js';
import type { NewDatasetItem } from '../storage/dataset-store.js';
import { MetaStore } from '../storage/meta-store.js';
import type { SelectedRef } from '../storage/test-run-store.js';
import { type CopiedSources, ItemCopies, type VersionRequest } from './item-copies.js';
import { readItems } from './read-items.js';

/** Items of a version that are listed in one go. */
const ITEMS_AT_ONCE = 1000;

/** Items that are read in one go. */
const ITEMS_IN_A_READ = 20;

/** Named sets of examples, in versions that never change. */
@Injectable()
export class DatasetService {
  constructor(
    private readonly meta: MetaStore,
    private readonly copies: ItemCopies,
    private readonly clock: Clock,
  ) {}

  /** @throws ConflictException when there is one of this name */
  async create(accountId: string, { name, description }: CreateDatasetRequest): Promise<DatasetDetail> {
    const dataset = { name, ...(description !== undefined && { description }), createdAt: this.now() };
    if (!(await this.meta.datasets.create(accountId, dataset))) {
      throw new ConflictException(`There is a dataset ${name} already. Add to it, or take another name.`);
    }
    return this.get(accountId, name);
  }

  /** By name. @throws InvalidCursorError */
  async list(accountId: string, page: PageRequest): Promise<Page<DatasetSummary>> {
    const { after: [after] = [] } = positionOf(page, 'text');
    const range = { limit: page.limit + 1, ...(after !== undefined && { after }) };
    const datasets = await this.meta.datasets.list(accountId, range);
    const { kept: items, ...next } = takePage(datasets, page.limit, ({ name }) => [name]);
    return { items, ...next };
  }

  /** @throws NotFoundException */
  async get(accountId: string, name: string): Promise<DatasetDetail> {
    const summary = await this.find(accountId, name);
    const range = { limit: LIMITS.listedVersions };
    return { ...summary, versions: await this.meta.datasets.listVersions(accountId, name, range) };
  }

  /**
   * Makes the next version. Items are checked one by one: a refused one does not affect the others.
   *
   * @throws NotFoundException when there is no such dataset, or no such run
   * @throws BadRequestException when the dataset has no such base
   */
  async addVersion(
    accountId: string,
    name: string,
    { base, items = [], remove = [], note, ...sources }: VersionRequest,
  ): Promise<AddDatasetVersionAnswer> {
    const { latest_version: latest } = await this.find(accountId, name);
    if (base !== undefined && base > latest) {
      throw new BadRequestException(`base must be a version of dataset ${name}, 0 to ${latest}, not ${base}`);
    }
    const rejected: RefusedEntry[] = [];
    const found: CopiedSources = { skipped: {} };
    await this.copies.check(accountId, sources);
    const changed = await this.meta.datasets.change(accountId, name, {
      ...(base !== undefined && { base }),
      add: allOf(readItems(items, rejected), this.copies.read(accountId, sources, found)),
      remove,
      ...(note !== undefined && { note }),
      createdAt: this.now(),
    });
    if (changed === undefined) throw notFound(name);
    const { skipped, ...keys } = found;
    return {
      ...changed.version,
      // A retried request changes nothing, so it reports 0 added and 0 removed.
      ...(!changed.isMade && { added: 0, removed: 0 }),
      unchanged: changed.unchanged,
      rejected,
      ...(Object.keys(skipped).length > 0 && { skipped }),
      ...keys,
    };
  }

  /** By place. A page of great payloads ends early. @throws NotFoundException, InvalidCursorError */
  async listItems(
    accountId: string,
    name: string,
    version: number | 'latest',
    options: { notIn?: number },
    page: PageRequest,
  ): Promise<Page<DatasetItem> & { version: number }> {
    const known = await this.versionOf(accountId, name, version);
    const { after: [after] = [] } = positionOf(page, 'number');
    const range = { limit: page.limit + 1, ...(after !== undefined && { after }) };
    const rows = await this.meta.datasets.listItems(accountId, name, known, options, range);
    const { kept, ...next } = takePage(
      rows,
      page.limit,
      ({ place }) => [place],
      ({ payload_bytes }) => payload_bytes,
    );
    const ids = kept.map(({ id }) => id);
    const read = await this.meta.datasets.readItems(accountId, name, known, ids);
    const byId = new Map(read.map((item) => [item.id, item]));
    return { version: known, items: ids.flatMap((id) => byId.get(id) ?? []), ...next };
  }

  /** What a run over a version plays. @throws NotFoundException */
  async select(
    accountId: string,
    name: string,
    version: number | 'latest',
  ): Promise<{ version: number; selected: SelectedRef[] }> {
    const known = await this.versionOf(accountId, name, version);
    const selected: SelectedRef[] = [];
    let after = -1;
    for (let isMore = true; isMore;) {
      const range = { limit: ITEMS_AT_ONCE, after };
      const rows = await this.meta.datasets.listItems(accountId, name, known, {}, range);
      for (const { id, trace_id, span_id } of rows) {
        selected.push({
          item_no: selected.length,
          dataset_item_id: id,
          ...(trace_id !== undefined && { trace_id }),
          ...(span_id !== undefined && { span_id }),
        });
      }
      after = rows.at(-1)?.place ?? after;
      isMore = rows.length === ITEMS_AT_ONCE;
    }
    return { version: known, selected };
  }

  /**
   * Items that a run plays, as many of the first ones as fit a page. Those that were erased, and those of a dataset that was deleted, are `undefined`.
   */
  async readSelected(
    accountId: string,
    { name, version }: { name: string; version: number },
    selected: readonly SelectedRef[],
  ): Promise<(DatasetItem | undefined)[]> {
    const items: (DatasetItem | undefined)[] = [];
    let bytes = 0;
    for (let start = 0; start < selected.length && bytes <= PAGE_BYTES; start += ITEMS_IN_A_READ) {
      const ids = selected.slice(start, start + ITEMS_IN_A_READ).map(({ dataset_item_id: id = '' }) => id);
      const read = await this.meta.datasets.readItems(accountId, name, version, ids);
      const byId = new Map(read.map((item) => [item.id, item]));
      for (const id of ids) {
        const found = byId.get(id);
        const item = found?.erased ? undefined : found;
        bytes += item === undefined ? 0 : Buffer.byteLength(JSON.stringify(item));
        if (items.length > 0 && bytes > PAGE_BYTES) break;
        items.push(item);
      }
    }
    return items;
  }

  /** @throws NotFoundException */
  async delete(accountId: string, name: string): Promise<void> {
    if (!(await this.meta.datasets.delete(accountId, name))) throw notFound(name);
  }

  private async versionOf(accountId: string, name: string, version: number | 'latest'): Promise<number> {
    const { latest_version: latest } = await this.find(accountId, name);
    if (version === 'latest') return latest;
    if (version > latest) throw new NotFoundException(`Dataset ${name} has no version ${version}`);
    return version;
  }

  private async find(accountId: string, name: string): Promise<DatasetSummary> {
    const dataset = await this.meta.datasets.find(accountId, name);
    if (!dataset) throw notFound(name);
    return dataset;
  }

  private now(): string {
    return formatTimestamp(this.clock.nowUs());
  }
}

async function* allOf(
  ...sources: AsyncIterable<NewDatasetItem[]>[]
): AsyncGenerator<readonly NewDatasetItem[]> {
  for (const source of sources) yield* source;
}

function notFound(name: string): NotFoundException {
  return new NotFoundException(`Dataset ${name} not found`);
}
