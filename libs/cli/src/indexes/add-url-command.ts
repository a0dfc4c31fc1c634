import { type IndexDetail, INDEX_TYPES, type IndexType, LIMITS } from '@dacapo/protocol';
import type { Command } from 'commander';
import { PagesMissingError } from '../errors.js';
import type { CliIo, StopSignal } from '../io.js';
import { print } from '../output/print.js';
import { ProgressLine } from '../output/progress-line.js';
import { counted } from '../output/table.js';
import { each, wholeNumber } from '../replay/read-words.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { findIndex, findOrCreateIndex, parseType } from './add-command.js';
import { readAddress, readHost } from './remote/address.js';
import type { FillOptions, FillReport, RemoteSettings } from './remote/fill-from-address.js';
import type { LeftOut } from './remote/listing.js';

/** How pages are fetched. It is said anew each time: what a service keeps must not open the network of who refreshes. */
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

/** Lines for people; `--json` has them all. */
const SHOWN = 20;

export function addAddUrlCommand(indexes: Command, io: CliIo): void {
  const command = indexes
    .command('add-url')
    .argument('<url>', 'a page, a sitemap or an llms.txt')
    .description('make an index of pages on the web, which `refresh` brings up to date')
    .option('--name <name>', 'what lists show (the host and path)')
    .option('--type <type>', INDEX_TYPES.join(', '), parseType, 'OTHER')
    .option('--also <host>', 'take pages of this host too; may be given several times', each(readHost))
    .option('--under <path>', 'only pages whose path begins so')
    .option('--max-pages <n>', `at most so many, up to ${LIMITS.remotePages}`, wholeNumber(1), 1000);
  withFetchWords(command).action(async (url: string, words: AddUrlWords) => {
    const address = readAddress(url);
    const client = new ServiceClient(resolveConnection(words, io.env));
    const wanted = { name: words.name ?? nameOf(address), type: words.type };
    const settings: RemoteSettings = {
      url: address.href,
      also: [...(words.also ?? [])],
      ...(words.under !== undefined && { under: words.under }),
      max_pages: Math.min(words.maxPages, LIMITS.remotePages),
    };
    // It brings an HTML parser, which no other command waits for.
    const { fillFromAddress } = await import('./remote/fill-from-address.js');
    await runFetching(words, io, async (options) => {
      const found = await findIndex(client, wanted);
      const open = (): Promise<IndexDetail> => findOrCreateIndex(client, wanted);
      const report = await fillFromAddress(client, settings, found, open, options);
      const told = toldOf(report, report.index ?? wanted);
      print(io, words, told, textOf(told));
      return report.failed.length;
    });
  });
}

export function withFetchWords(command: Command): Command {
  return withConnection(command)
    .option('--allow-private', 'fetch from loopback and private networks too')
    .option('--delay <ms>', 'between two requests to one host', wholeNumber(0), 100)
    .option('--concurrency <n>', 'pages that are fetched at a time, up to 8', wholeNumber(1), 2);
}

/**
 * Fetches until it is done, or a signal asks to stop: what was fetched by then is kept.
 *
 * @param work gives how many pages are missing
 * @throws PagesMissingError when there are any, or it was stopped
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
      io.stderr.write('Stopping: what was fetched is kept; press Ctrl+C again to stop at once.\n');
    stop.abort();
  });
  let line: ProgressLine | undefined;
  const missing = await work({
    allowPrivate: words.allowPrivate === true,
    delayMs: words.delay,
    concurrency: Math.min(words.concurrency, 8),
    isFull: false,
    signal: stop.signal,
    onProgress: (done, total) => {
      if (words.json) return;
      line ??= new ProgressLine(io, total, 'pages', 1);
      line.show(done);
      if (done === total) {
        line.clear();
        line = undefined;
      }
    },
  }).finally(() => line?.clear());
  if (stopped !== undefined) throw new PagesMissingError('Stopped before all pages were fetched', stopped);
  if (missing > 0) throw new PagesMissingError(`${counted(missing, 'page')} could not be fetched`, undefined);
}

/** What is told of an index that was brought up to date. */
export type ToldReport = ReturnType<typeof toldOf>;

export function toldOf({ index, ...report }: FillReport, { name, type }: Pick<IndexDetail, 'name' | 'type'>) {
  return { ...(index && { index_id: index.index_id }), name, type, ...report };
}

export function textOf({ index_id: id, name, type, skipped, failed, ...told }: ToldReport): string {
  const counts = `${told.added} added, ${told.changed} changed, ${told.unchanged} unchanged, ${told.removed} removed`;
  const head = `${id === undefined ? '' : `${id}  `}${name} (${type}): ${counts}`;
  return [
    head,
    ...linesOf('skipped', skipped),
    ...linesOf('not fetched; the index keeps what it held', failed),
  ].join('\n');
}

function linesOf(what: string, leftOut: readonly LeftOut[]): string[] {
  if (leftOut.length === 0) return [];
  const shown = leftOut.slice(0, SHOWN).map(({ url, reason }) => `  ${url}: ${reason}`);
  const more = leftOut.length - shown.length;
  return [
    `${leftOut.length} ${what}:`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more; --json lists all`] : []),
  ];
}

/** `docs.example.com/guide` of `https://docs.example.com/guide/sitemap.xml`. */
function nameOf({ host, pathname }: URL): string {
  return `${host}${pathname.replace(/\/(?:llms\.txt|sitemap[^/]*|index\.html?)?$/i, '')}`;
}
