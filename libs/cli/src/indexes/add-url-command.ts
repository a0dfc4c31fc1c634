import type { UnreadUrl } from '@dacapo/indexes/crawl';
import { type IndexDetail, INDEX_TYPES, type IndexType, LIMITS } from '@dacapo/protocol';
import type { Command } from 'commander';
import type { CliIo, StopSignal } from '../io.js';
import { print } from '../output/print.js';
import { showProgress } from '../output/progress-line.js';
import { counted } from '../output/table.js';
import { each, wholeNumber } from '../output/read-words.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { PagesMissingError } from './errors.js';
import { findIndex, findOrCreateIndex, parseType } from './add-command.js';
import type { FillOptions, FillReport, RemoteSettings } from './remote/fill-from-address.js';

/** How to fetch pages. Not stored with the index: the service must not open the network of the machine that refreshes. */
export interface FetchWords extends ConnectionOptions {
  readonly allowPrivate?: true;
  readonly delay: number;
  readonly concurrency: number;
}

interface AddUrlWords extends FetchWords {
  readonly name?: string;
  readonly type: IndexType;
  readonly also?: readonly string[];
  readonly under?: string;
  readonly maxPages: number;
}

/** Listed URLs; `--json` has all. */
const MOST_LISTED = 20;

export function addAddUrlCommand(indexes: Command, io: CliIo): void {
  const command = indexes
    .command('add-url')
    .argument('<url>', 'a page, a sitemap or an llms.txt')
    .description('create an index of web pages, which `refresh` updates')
    .option('--name <name>', 'the name in lists (default: the host and path)')
    .option('--type <type>', INDEX_TYPES.join(', '), parseType, 'OTHER')
    .option('--also <host>', 'also fetch pages of this host; repeat for more hosts', each(String))
    .option('--under <path>', 'only pages whose path starts with this')
    .option('--max-pages <n>', `maximum number of pages, up to ${LIMITS.remotePages}`, wholeNumber(1), 1000);
  withFetchWords(command).action(async (url: string, words: AddUrlWords) => {
    // Loaded on use, because they bring an HTML parser.
    const { readAddress, readHost } = await import('./remote/address.js');
    const { fillFromAddress } = await import('./remote/fill-from-address.js');
    const address = readAddress(url);
    const client = new ServiceClient(resolveConnection(words, io.env));
    const wanted = { name: words.name ?? defaultName(address), type: words.type };
    const settings: RemoteSettings = {
      url: address.href,
      also: (words.also ?? []).map(readHost),
      ...(words.under !== undefined && { under: words.under }),
      max_pages: Math.min(words.maxPages, LIMITS.remotePages),
    };
    await runFetching(words, io, async (options) => {
      const found = await findIndex(client, wanted);
      const open = (): Promise<IndexDetail> => findOrCreateIndex(client, wanted);
      const filled = await fillFromAddress(client, settings, found, open, options);
      const report = toIndexReport(filled, filled.index ?? wanted);
      print(io, words, report, formatIndexReport(report));
      return filled.failed.length;
    });
  });
}

export function withFetchWords(command: Command): Command {
  return withConnection(command)
    .option('--allow-private', 'also fetch from loopback and private networks')
    .option('--delay <ms>', 'pause between two requests to one host, in ms', wholeNumber(0), 100)
    .option('--concurrency <n>', 'pages fetched at the same time, up to 8', wholeNumber(1), 2);
}

/**
 * Runs `work` until it ends or a signal stops it. Pages that were fetched until then are kept.
 *
 * @param work resolves to the number of missing pages
 * @throws PagesMissingError when pages are missing, or it was stopped
 */
export async function runFetching(
  words: FetchWords,
  io: CliIo,
  work: (options: FillOptions) => Promise<number>,
): Promise<void> {
  const stop = new AbortController();
  let stopped: StopSignal | undefined;
  void io.untilStopped().then((signal) => {
    stopped = signal;
    if (!words.json)
      io.stderr.write('Stopping. Fetched pages are kept. Press Ctrl+C again to stop at once.\n');
    stop.abort();
  });
  const missing = await showProgress(io, (show) =>
    work({
      allowPrivate: words.allowPrivate === true,
      delayMs: words.delay,
      concurrency: Math.min(words.concurrency, 8),
      isFull: false,
      signal: stop.signal,
      onProgress: (done, total) => {
        show(done === total ? '' : `${done} of ${total} pages`);
      },
    }),
  );
  if (stopped !== undefined) throw new PagesMissingError('Stopped before all pages were fetched', stopped);
  if (missing > 0) throw new PagesMissingError(`${counted(missing, 'page')} could not be fetched`, undefined);
}

/** The printed result of filling an index from an address. */
export type IndexReport = ReturnType<typeof toIndexReport>;

export function toIndexReport(
  { index, ...report }: FillReport,
  { name, type }: Pick<IndexDetail, 'name' | 'type'>,
) {
  return { ...(index && { index_id: index.index_id }), name, type, ...report };
}

export function formatIndexReport({
  index_id: id,
  name,
  type,
  skipped,
  failed,
  ...report
}: IndexReport): string {
  const counts = `${report.added} added, ${report.changed} changed, ${report.unchanged} unchanged, ${report.removed} removed`;
  const head = `${id === undefined ? '' : `${id}  `}${name} (${type}): ${counts}`;
  return [
    head,
    ...listUrls('skipped', skipped),
    ...listUrls('not fetched; the index keeps its documents', failed),
  ].join('\n');
}

function listUrls(what: string, unread: readonly UnreadUrl[]): string[] {
  if (unread.length === 0) return [];
  const shown = unread.slice(0, MOST_LISTED).map(({ url, reason }) => `  ${url}: ${reason}`);
  const more = unread.length - shown.length;
  return [
    `${unread.length} ${what}:`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more; --json lists all`] : []),
  ];
}

/** `https://docs.example.com/guide/sitemap.xml` becomes `docs.example.com/guide`. */
function defaultName({ host, pathname }: URL): string {
  return `${host}${pathname.replace(/\/(?:llms\.txt|sitemap[^/]*|index\.html?)?$/i, '')}`;
}
