import type { IndexDetail } from '@dacapo/protocol';
import type { Command } from 'commander';
import { CliError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { resolveConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { NoAddressError } from './errors.js';
import {
  type FetchWords,
  runFetching,
  formatIndexReport,
  toIndexReport,
  withFetchWords,
} from './add-url-command.js';
import { findIndexId } from './find-index.js';
import type { FillOptions, FillReport } from './remote/fill-from-address.js';

interface RefreshWords extends FetchWords {
  readonly full?: true;
}

export function addRefreshCommand(indexes: Command, io: CliIo): void {
  const command = indexes
    .command('refresh')
    .argument('[index]', 'its name or id (default: all indexes that come from an address)')
    .description('fetch changed documents of indexes that come from an address, and remove deleted ones')
    .option('--full', 'also fetch unchanged pages again');
  withFetchWords(command).action(async (name: string | undefined, words: RefreshWords) => {
    const client = new ServiceClient(resolveConnection(words, io.env));
    const indexes = await chosen(client, name);
    await runFetching(words, io, (options) =>
      refreshAll(client, indexes, { ...options, isFull: words.full === true }, words, io),
    );
  });
}

/** Continues after an index that fails. @returns the number of URLs that were not fetched */
async function refreshAll(
  client: ServiceClient,
  indexes: readonly IndexDetail[],
  options: FillOptions,
  words: RefreshWords,
  io: CliIo,
): Promise<number> {
  const items: ReturnType<typeof toIndexReport>[] = [];
  for (const index of indexes) {
    if (options.signal.aborted) break;
    try {
      items.push(toIndexReport(await refresh(client, index, options), index));
    } catch (thrown) {
      if (!(thrown instanceof CliError) || indexes.length === 1) throw thrown;
      const failed = [{ url: index.remote?.url ?? '', reason: thrown.message }];
      items.push(
        toIndexReport({ index, added: 0, changed: 0, removed: 0, unchanged: 0, skipped: [], failed }, index),
      );
    }
  }
  const text =
    items.length === 0
      ? 'No index was created from an address. Create one: `dacapo indexes add-url <url>`.'
      : '';
  print(io, words, { items }, text + items.map(formatIndexReport).join('\n\n'));
  return items.reduce((sum, { failed }) => sum + failed.length, 0);
}

async function refresh(client: ServiceClient, index: IndexDetail, options: FillOptions): Promise<FillReport> {
  const { fillFromAddress } = await import('./remote/fill-from-address.js');
  const { url, also, under, max_pages } = await client.api.indexes.remote(index);
  const settings = { url, also, ...(under !== undefined && { under }), max_pages };
  return fillFromAddress(client, settings, index, () => Promise.resolve(index), options);
}

/** @throws NoAddressError when the named index comes from files */
async function chosen(client: ServiceClient, name: string | undefined): Promise<IndexDetail[]> {
  const indexId = name === undefined ? undefined : await findIndexId(client, name);
  const { items } = await client.api.indexes.list();
  if (indexId === undefined) return items.filter(({ remote }) => remote !== undefined);
  const index = items.find(({ index_id }) => index_id === indexId);
  if (index?.remote === undefined) throw new NoAddressError(index?.name ?? indexId);
  return [index];
}
