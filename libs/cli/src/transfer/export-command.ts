import { API, encodeQuery } from '@dacapo/protocol/api';
import type { Command } from 'commander';
import { CliError, describeCause, UsageError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { readConditionWords, withConditionWords } from '../output/condition-words.js';
import { counted } from '../output/table.js';
import { CLEAR_LINE } from '../output/waiting-line.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { openExportFile, type ExportFile } from './export-file.js';
import { exportByOtlp, OtlpSpansRefusedError } from './export-otlp.js';
import { withHeaderOption } from './otlp-words.js';

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
  readonly otlp?: string;
  readonly otlpHeader?: readonly string[];
  readonly cursor?: string;
}

const NEWLINE = 10;
const PRINTED_EVERY_BYTES = 1024 * 1024;

/** `dacapo export`: whole traces as JSON lines, which `dacapo import` reads. */
export function addExportCommand(program: Command, io: CliIo): void {
  const command = withConnection(program.command('export'))
    .description('write traces with payloads, scores and sessions as JSON lines, newest first')
    .option('--output <file>', 'the file to write (default: stdout)')
    .option('--resume', 'continue the file after its last complete trace, with its original filters')
    .option('--force', 'overwrite the file')
    .option(
      '--otlp <url>',
      'send the traces to a receiver of OpenTelemetry instead, such as http://127.0.0.1:4318: see docs/opentelemetry-export.md',
    )
    .option(
      '--cursor <cursor>',
      'with --otlp: continue behind the last trace that was sent, with its original filters',
    );
  withHeaderOption(command, '--otlp-header', 'DACAPO_OTLP_HEADERS');
  withConditionWords(command, 'lists').action((words: ExportWords) => exportTraces(words, io));
}

async function exportTraces(words: ExportWords, io: CliIo): Promise<void> {
  const { output, resume, force, otlp, cursor } = words;
  if (otlp !== undefined) {
    await sendTraces({ ...words, otlp }, io);
    return;
  }
  if (cursor !== undefined) throw new UsageError('--cursor requires --otlp. Continue a file with --resume.');
  if (output === undefined && (resume ?? force) !== undefined) {
    throw new UsageError('--resume and --force need --output with the file.');
  }
  const client = new ServiceClient(resolveConnection(words, io.env));
  const file = output === undefined ? undefined : await openExportFile(output, words);
  try {
    const query = encodeQuery(
      file?.cursor === undefined ? readConditionWords(words, 'lists') : { cursor: file.cursor },
    );
    const written = await copy(await client.stream(API.traces.export.path + query), file, io);
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

/** @throws OtlpSpansRefusedError when the receiver accepted only some of the spans */
async function sendTraces(words: ExportWords & { readonly otlp: string }, io: CliIo): Promise<void> {
  const { output, resume, force, cursor } = words;
  if ((output ?? resume ?? force) !== undefined) {
    throw new UsageError('--otlp cannot be combined with --output, --resume or --force.');
  }
  const client = new ServiceClient(resolveConnection(words, io.env));
  const query = encodeQuery(cursor === undefined ? readConditionWords(words, 'lists') : { cursor });
  const { reason, ...sent } = await exportByOtlp(
    words,
    () => client.stream(API.traces.export.path + query),
    io,
  );
  print(io, words, sent, `${counted(sent.traces, 'trace')} with ${counted(sent.spans, 'span')} sent.`);
  if (sent.refused > 0) throw new OtlpSpansRefusedError(sent.refused, reason || 'it does not say why');
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
