import { ROUTES, SPAN_STATUSES } from '@dacapo/protocol';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CliError, describeCause, UsageError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { readFieldWords, withFieldWords } from '../output/field-words.js';
import { counted } from '../output/table.js';
import { CLEAR_LINE } from '../replay/progress.js';
import { moment } from '../replay/read-words.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { openExportFile, type ExportFile } from './export-file.js';

/** The connection broke before the end of the export. */
class ExportCutError extends CliError {
  readonly code = 'CLI_EXPORT_CUT';

  /** @param path the file with what arrived; `undefined` for stdout */
  constructor(
    readonly lines: number,
    path: string | undefined,
    options: { cause: unknown },
  ) {
    const cure =
      path === undefined
        ? 'Write it to a file with --output, so that --resume can continue it.'
        : `Continue it: dacapo export --output ${path} --resume`;
    super(`The export broke off after ${lines} lines (${describeCause(options.cause)}). ${cure}`, options);
  }
}

interface ExportWords extends ConnectionOptions {
  readonly output?: string;
  readonly resume?: true;
  readonly force?: true;
  readonly key?: string;
  readonly status?: string;
  readonly since?: string;
  readonly until?: string;
  readonly testRun?: string;
  readonly replays?: string;
  readonly filter?: Record<string, string>;
}

const NEWLINE = 10;
const PRINTED_EVERY_BYTES = 1024 * 1024;

/** `dacapo export`: whole traces as JSON lines, which `dacapo import` reads. */
export function addExportCommand(program: Command, io: CliIo): void {
  const moments = moment(Date.now);
  const command = withConnection(program.command('export'))
    .description('write traces with payloads, scores and sessions as lines of JSON, the newest first')
    .option('--output <file>', 'where to (stdout)')
    .option('--resume', 'go on with the file behind its last whole trace, with the filters it was begun with')
    .option('--force', 'overwrite the file')
    .option('--key <key>', 'traces that hold a call of this key')
    .addOption(new Option('--status <status>', 'the worst status of the spans').choices(SPAN_STATUSES))
    .option('--since <time>', 'traces that started then or later: ISO 8601, or an age such as 7d', moments)
    .option('--until <time>', 'traces that started before', moments)
    .option('--test-run <id>', 'traces that this test run made')
    .addOption(new Option('--replays <which>', 'what test runs played').choices(['include', 'exclude']))
    .option(
      '--filter <name=value>',
      'any other filter of `GET /api/v1/traces`, such as metadata.tier=gold',
      pair,
    );
  withFieldWords(command, { trace: 'traces', span: 'traces with a span' }).action((words: ExportWords) =>
    exportTraces(words, io),
  );
}

async function exportTraces(words: ExportWords, io: CliIo): Promise<void> {
  const { output, resume, force } = words;
  if (output === undefined && (resume ?? force) !== undefined) {
    throw new UsageError('--resume and --force are about a file: name it with --output.');
  }
  const client = new ServiceClient(resolveConnection(words, io.env));
  const file = output === undefined ? undefined : await openExportFile(output, words);
  try {
    const query = new URLSearchParams(
      file?.cursor === undefined ? buildFilters(words) : [['cursor', file.cursor]],
    );
    const written = await copy(await client.stream(`${ROUTES.export}?${query.toString()}`), file, io);
    if (file === undefined || output === undefined) return;
    const lines = `${counted(written.lines, 'line')} written to ${output}.`;
    print(io, words, { output, ...written, resumed: file.cursor !== undefined }, lines);
  } catch (error) {
    if (!(error instanceof ExportCutError) || output === undefined) throw error;
    throw new ExportCutError(error.lines, output, { cause: error.cause });
  } finally {
    await file?.close();
  }
}

/** @throws ExportCutError when the stream breaks off */
async function copy(
  chunks: AsyncIterable<Uint8Array>,
  file: ExportFile | undefined,
  io: CliIo,
): Promise<{ lines: number; bytes: number }> {
  const text = new TextDecoder();
  const isShown = file !== undefined && io.stderr.isTTY === true;
  let [lines, bytes, printed] = [0, 0, 0];
  const broken = (cause: unknown): ExportCutError => new ExportCutError(lines, undefined, { cause });
  for await (const chunk of failingWith(broken, chunks)) {
    if (file === undefined) io.stdout.write(text.decode(chunk, { stream: true }));
    else await file.write(chunk);
    bytes += chunk.length;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
    if (!isShown || bytes - printed < PRINTED_EVERY_BYTES) continue;
    printed = bytes;
    io.stderr.write(
      `${CLEAR_LINE}${counted(lines, 'line')}, ${(bytes / PRINTED_EVERY_BYTES).toFixed(0)} MiB`,
    );
  }
  if (printed > 0) io.stderr.write(CLEAR_LINE);
  return { lines, bytes };
}

/** Converts errors of the stream only: errors thrown while a chunk is handled stay as they are. */
async function* failingWith<T>(
  toError: (cause: unknown) => Error,
  chunks: AsyncIterable<T>,
): AsyncGenerator<T> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next().catch((cause: unknown) => {
        throw toError(cause);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.().catch(() => undefined);
  }
}

function buildFilters(words: ExportWords): [name: string, value: string][] {
  const named = {
    trace_function_key: words.key,
    test_run_id: words.testRun,
    status: words.status,
    since: words.since,
    until: words.until,
    replays: words.replays,
  };
  const given = Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const fields = readFieldWords(words).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  return [...Object.entries({ ...words.filter, ...Object.fromEntries(given) }), ...fields];
}

function pair(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It is written like metadata.tier=gold.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}
