import type { DatasetItem, DatasetSummary } from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { PAGE_BYTES } from '../cursor.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import type { SelectedRef } from '../storage/ports/test-run.js';

const LISTED_AT_ONCE = 1000;
const READ_AT_ONCE = 20;

/** The items that a run over a dataset replays. */
@Injectable()
export class DatasetItems {
  constructor(private readonly meta: MetaStore) {}

  /** @throws NotFoundException */
  async find(accountId: string, name: string): Promise<DatasetSummary> {
    const dataset = await this.meta.datasets.find(accountId, name);
    if (!dataset) throw new NotFoundException(`Dataset ${name} not found`);
    return dataset;
  }

  /** @throws NotFoundException */
  async resolveVersion(accountId: string, name: string, version: number | 'latest'): Promise<number> {
    const { latest_version: latest } = await this.find(accountId, name);
    if (version === 'latest') return latest;
    if (version > latest) throw new NotFoundException(`Dataset ${name} has no version ${version}`);
    return version;
  }

  /** Selects all items of the version. @throws NotFoundException */
  async select(
    accountId: string,
    name: string,
    version: number | 'latest',
  ): Promise<{ version: number; selected: SelectedRef[] }> {
    const resolved = await this.resolveVersion(accountId, name, version);
    const selected: SelectedRef[] = [];
    let after = -1;
    for (let isMore = true; isMore;) {
      const range = { limit: LISTED_AT_ONCE, after };
      const rows = await this.meta.datasets.listItems(accountId, name, resolved, {}, range);
      for (const { id, trace_id, span_id } of rows) {
        selected.push({
          item_no: selected.length,
          dataset_item_id: id,
          ...(trace_id !== undefined && { trace_id }),
          ...(span_id !== undefined && { span_id }),
        });
      }
      after = rows.at(-1)?.place ?? after;
      isMore = rows.length === LISTED_AT_ONCE;
    }
    return { version: resolved, selected };
  }

  /** Reads the first items, as many as fit in a page. An item that was erased, or whose dataset was deleted, is `undefined`. */
  async read(
    accountId: string,
    { name, version }: { name: string; version: number },
    selected: readonly SelectedRef[],
  ): Promise<(DatasetItem | undefined)[]> {
    const items: (DatasetItem | undefined)[] = [];
    let bytes = 0;
    for (let start = 0; start < selected.length && bytes <= PAGE_BYTES; start += READ_AT_ONCE) {
      const ids = selected.slice(start, start + READ_AT_ONCE).map(({ dataset_item_id: id = '' }) => id);
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
}
