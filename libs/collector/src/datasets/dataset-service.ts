import {
  type AddDatasetVersionAnswer,
  type AddDatasetVersionRequest,
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
import { type PageRequest, readPosition, takePage } from '../cursor.js';
import { DatasetItems } from '../runs/dataset-items.js';
import type { NewDatasetItem } from '../storage/ports/dataset-change.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { type CopiedSources, ItemCopies } from './item-copies.js';
import { readItems } from './read-items.js';

/** Named sets of examples, in versions that never change. */
@Injectable()
export class DatasetService {
  constructor(
    private readonly meta: MetaStore,
    private readonly items: DatasetItems,
    private readonly copies: ItemCopies,
    private readonly clock: Clock,
  ) {}

  /** @throws ConflictException when the name is taken */
  async create(accountId: string, { name, description }: CreateDatasetRequest): Promise<DatasetDetail> {
    const dataset = { name, ...(description !== undefined && { description }), createdAt: this.now() };
    if (!(await this.meta.datasets.create(accountId, dataset))) {
      throw new ConflictException(`A dataset named ${name} exists. Add to it, or choose another name.`);
    }
    return this.get(accountId, name);
  }

  /** By name. @throws InvalidCursorError */
  async list(accountId: string, page: PageRequest): Promise<Page<DatasetSummary>> {
    const { after: [after] = [] } = readPosition(page, 'text');
    const range = { limit: page.limit + 1, ...(after !== undefined && { after }) };
    const datasets = await this.meta.datasets.list(accountId, range);
    const { kept: items, ...next } = takePage(datasets, page.limit, ({ name }) => [name]);
    return { items, ...next };
  }

  /** @throws NotFoundException */
  async get(accountId: string, name: string): Promise<DatasetDetail> {
    const summary = await this.items.find(accountId, name);
    const range = { limit: LIMITS.listedVersions };
    return { ...summary, versions: await this.meta.datasets.listVersions(accountId, name, range) };
  }

  /**
   * Makes the next version. Items are checked one by one, and only the invalid ones are rejected.
   *
   * @throws NotFoundException when the dataset, the run or the other dataset does not exist
   * @throws ConflictException when the dataset changed since `if_latest`
   * @throws BadRequestException when the base version does not exist
   */
  async addVersion(
    accountId: string,
    name: string,
    { base, if_latest: ifLatest, items = [], remove = [], note, ...sources }: AddDatasetVersionRequest,
  ): Promise<AddDatasetVersionAnswer> {
    const { latest_version: latest } = await this.items.find(accountId, name);
    if (base !== undefined && base > latest) {
      throw new BadRequestException(`base must be a version of dataset ${name}, 0 to ${latest}, not ${base}`);
    }
    const rejected: RefusedEntry[] = [];
    const found: CopiedSources = { skipped: {} };
    await this.copies.check(accountId, sources);
    const changed = await this.meta.datasets.change(accountId, name, {
      ...(base !== undefined && { base }),
      ...(ifLatest !== undefined && { ifLatest }),
      add: concat(readItems(items, rejected), this.copies.read(accountId, sources, found)),
      remove,
      ...(note !== undefined && { note }),
      createdAt: this.now(),
    });
    if (changed === undefined) throw notFound(name);
    if (changed.isOutdated) {
      throw new ConflictException(
        `Dataset ${name} is at version ${changed.version.version}, not ${ifLatest}: it was changed since. Load that version, then repeat your change.`,
      );
    }
    const { skipped, ...keyNotes } = found;
    return {
      ...changed.version,
      // A retried request changes nothing, so it reports 0 added and 0 removed.
      ...(!changed.isMade && { added: 0, removed: 0 }),
      unchanged: changed.unchanged,
      rejected,
      ...(Object.keys(skipped).length > 0 && { skipped }),
      ...keyNotes,
    };
  }

  /** By place. A page of large payloads ends early. @throws NotFoundException, InvalidCursorError */
  async listItems(
    accountId: string,
    name: string,
    version: number | 'latest',
    options: { notIn?: number },
    page: PageRequest,
  ): Promise<Page<DatasetItem> & { version: number }> {
    const resolved = await this.items.resolveVersion(accountId, name, version);
    const { after: [after] = [] } = readPosition(page, 'number');
    const range = { limit: page.limit + 1, ...(after !== undefined && { after }) };
    const rows = await this.meta.datasets.listItems(accountId, name, resolved, options, range);
    const { kept, ...next } = takePage(
      rows,
      page.limit,
      ({ place }) => [place],
      ({ payload_bytes }) => payload_bytes,
    );
    const ids = kept.map(({ id }) => id);
    const read = await this.meta.datasets.readItems(accountId, name, resolved, ids);
    const byId = new Map(read.map((item) => [item.id, item]));
    return { version: resolved, items: ids.flatMap((id) => byId.get(id) ?? []), ...next };
  }

  /** @throws NotFoundException */
  async delete(accountId: string, name: string): Promise<void> {
    if (!(await this.meta.datasets.delete(accountId, name))) throw notFound(name);
  }

  private now(): string {
    return formatTimestamp(this.clock.nowUs());
  }
}

async function* concat(
  ...sources: AsyncIterable<NewDatasetItem[]>[]
): AsyncGenerator<readonly NewDatasetItem[]> {
  for (const source of sources) yield* source;
}

function notFound(name: string): NotFoundException {
  return new NotFoundException(`Dataset ${name} not found`);
}
