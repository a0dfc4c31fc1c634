import type { DatasetItem, DatasetSummary, DatasetVersion } from '@dacapo/protocol';
import type {
  ChangedDataset,
  DatasetChange,
  DatasetStore,
  ListedDatasetItem,
  NewDatasetItem,
} from '../../dataset-store.js';
import type { Range } from '../../span-store.js';
import type { DeletedCopies } from './deleted-copies.js';
import type { MemoryAcceptedOutcomeStore } from './memory-accepted-outcome-store.js';

interface PlacedItem extends NewDatasetItem {
  place: number;
}

interface Dataset {
  name: string;
  description?: string;
  createdAt: string;
  /** The first is version 1. */
  versions: { record: DatasetVersion; items: readonly PlacedItem[] }[];
}

export class MemoryDatasetStore implements DatasetStore {
  /** By account and name. */
  private readonly accounts = new Map<string, Map<string, Dataset>>();
  private lastPlace = 0;

  constructor(
    private readonly accepted: MemoryAcceptedOutcomeStore,
    private readonly deleted: DeletedCopies,
  ) {}

  create(accountId: string, dataset: Omit<Dataset, 'versions'>): Promise<boolean> {
    const datasets = this.accounts.get(accountId) ?? new Map<string, Dataset>();
    this.accounts.set(accountId, datasets);
    if (datasets.has(dataset.name)) return Promise.resolve(false);
    datasets.set(dataset.name, { ...dataset, versions: [] });
    return Promise.resolve(true);
  }

  find(accountId: string, name: string): Promise<DatasetSummary | undefined> {
    const dataset = this.dataset(accountId, name);
    return Promise.resolve(dataset && summaryOf(dataset));
  }

  list(accountId: string, { limit, after = '' }: Range<string>): Promise<DatasetSummary[]> {
    const datasets = [...(this.accounts.get(accountId)?.values() ?? [])]
      .filter(({ name }) => name > after)
      .sort((left, right) => (left.name < right.name ? -1 : 1));
    return Promise.resolve(datasets.slice(0, limit).map(summaryOf));
  }

  listVersions(
    accountId: string,
    name: string,
    { limit, after = Infinity }: Range<number>,
  ): Promise<DatasetVersion[]> {
    const versions = (this.dataset(accountId, name)?.versions ?? []).map(({ record }) => record);
    return Promise.resolve(
      versions
        .filter(({ version }) => version < after)
        .reverse()
        .slice(0, limit),
    );
  }

  async change(
    accountId: string,
    name: string,
    { base, add, remove, note, createdAt }: DatasetChange,
  ): Promise<ChangedDataset | undefined> {
    const waiting: NewDatasetItem[] = [];
    for await (const items of add) {
      waiting.push(...items.filter(({ item }) => !this.deleted.has(accountId, item.source?.trace_id)));
    }
    const dataset = this.dataset(accountId, name);
    if (dataset === undefined) return undefined;
    const { versions, createdAt: madeAt } = dataset;
    const baseVersion = base ?? versions.length;
    const baseItems = versions[baseVersion - 1]?.items ?? [];
    const added = waiting.filter((one) => !baseItems.some((known) => isKnown(one, known, remove)));
    const gone = new Set([...remove, ...added.map(({ item }) => item.id)]);
    const kept = baseItems.filter(({ item }) => !gone.has(item.id));
    const items = [...kept, ...added.map((one) => ({ ...one, place: ++this.lastPlace }))];
    const latest = versions.at(-1);
    const places = (some: readonly PlacedItem[] = []): string => some.map(({ place }) => place).join();
    const isMade = places(latest?.items) !== places(items);
    if (isMade) {
      const record = {
        version: versions.length + 1,
        base: baseVersion,
        item_count: items.length,
        added: added.length,
        removed: baseItems.length - kept.length,
        ...(note !== undefined && { note }),
        created_at: createdAt,
      };
      versions.push({ record, items });
    }
    const none = { version: 0, base: 0, item_count: 0, added: 0, removed: 0, created_at: madeAt };
    return { version: versions.at(-1)?.record ?? none, isMade, unchanged: waiting.length - added.length };
  }

  listItems(
    accountId: string,
    name: string,
    version: number,
    { notIn }: { notIn?: number },
    { limit, after = -1 }: Range<number>,
  ): Promise<ListedDatasetItem[]> {
    const without = new Set(
      notIn === undefined ? [] : this.itemsOf(accountId, name, notIn).map(({ place }) => place),
    );
    const items = this.itemsOf(accountId, name, version).filter(
      ({ place }) => place > after && !without.has(place),
    );
    return Promise.resolve(
      items.slice(0, limit).map(({ item: { id, source }, place, item }) => ({
        ...{ id, place, payload_bytes: Buffer.byteLength(JSON.stringify(item)) },
        ...(source?.trace_id !== undefined && { trace_id: source.trace_id }),
        ...(source?.span_id !== undefined && { span_id: source.span_id }),
      })),
    );
  }

  readItems(
    accountId: string,
    name: string,
    version: number,
    ids: readonly string[],
  ): Promise<DatasetItem[]> {
    const items = this.itemsOf(accountId, name, version).map(({ item }) => item);
    return Promise.resolve(items.filter(({ id }) => ids.includes(id)));
  }

  delete(accountId: string, name: string): Promise<boolean> {
    const ids = this.dataset(accountId, name)?.versions.flatMap(({ items }) =>
      items.map(({ item }) => item.id),
    );
    this.accepted.deleteSources(accountId, new Set(ids?.map((id) => `item/${id}`)));
    return Promise.resolve(this.accounts.get(accountId)?.delete(name) ?? false);
  }

  /** Of all datasets and versions, each once; a change of one changes it wherever it is. */
  allItems(accountId: string): NewDatasetItem[] {
    const datasets = [...(this.accounts.get(accountId)?.values() ?? [])];
    return [...new Set(datasets.flatMap(({ versions }) => versions.flatMap(({ items }) => items)))];
  }

  deleteAccount(accountId: string): void {
    this.accounts.delete(accountId);
  }

  private dataset(accountId: string, name: string): Dataset | undefined {
    return this.accounts.get(accountId)?.get(name);
  }

  private itemsOf(accountId: string, name: string, version: number): readonly PlacedItem[] {
    return this.dataset(accountId, name)?.versions[version - 1]?.items ?? [];
  }
}

/** Whether the base has the item already: the same of the same id, or a copy of the same call. */
function isKnown(one: NewDatasetItem, known: NewDatasetItem, remove: readonly string[]): boolean {
  if (one.copyOf !== undefined && one.copyOf === known.copyOf) return true;
  const isSame = JSON.stringify(one.item) === JSON.stringify(known.item);
  return one.item.id === known.item.id && isSame && !remove.includes(one.item.id);
}

function summaryOf({ name, description, createdAt, versions }: Dataset): DatasetSummary {
  const latest = versions.at(-1)?.record;
  return {
    name,
    ...(description !== undefined && { description }),
    created_at: createdAt,
    updated_at: latest?.created_at ?? createdAt,
    latest_version: versions.length,
    item_count: latest?.item_count ?? 0,
  };
}
