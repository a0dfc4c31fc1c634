import { type IngestAnswer, LIMITS, type Rejection } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import type { Command } from 'commander';
import { createReadStream } from 'node:fs';
import { CliError, errorCode, PathUnreadableError, ServiceRefusedError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { showProgress } from '../output/progress-line.js';
import { counted } from '../output/table.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { splitLines } from './split-lines.js';

/** Some lines of the imported file are not valid records. The others were stored. */
class LinesRejectedError extends CliError {
  readonly code = 'CLI_LINES_REJECTED';

  constructor(count: number, shown: readonly { detail: string }[]) {
    const first = shown.map(({ detail }) => detail).join('; ');
    super(
      `${count} ${count === 1 ? 'line was' : 'lines were'} rejected; the others are stored. ${first}. ` +
        'Correct them, then import the file again. Nothing is stored twice.',
    );
  }
}

interface Imported {
  accepted: number;
  rejected: number;
  /** Records of traces and sessions that were deleted in this service. */
  dropped: number;
}

/** Lines that are sent together, each with its line end. */
interface LineBatch {
  /** Line number of the first one in the file, from 1. */
  first: number;
  lines: Buffer[];
}

const MOST_SHOWN = 5;
const TRIES = 60;
const DEFAULT_RETRY_DELAY_MS = 2_000;
const MAX_RETRY_DELAY_MS = 5 * 60_000;
const LINES_AT_ONCE = 500;
const BYTES_AT_ONCE = 1024 * 1024;

/** `dacapo import`: sends the lines of an export through ingest, so nothing is stored twice. */
export function addImportCommand(program: Command, io: CliIo): void {
  withConnection(program.command('import').argument('<file>', 'a file that `dacapo export` wrote'))
    .description('import traces from a file; existing traces do not change')
    .action(async (path: string, options: ConnectionOptions) => {
      const client = new ServiceClient(resolveConnection(options, io.env));
      const done: Imported = { accepted: 0, rejected: 0, dropped: 0 };
      const shown: Rejection[] = [];
      await showProgress(io, async (show) => {
        for await (const batch of groupLines(splitLines(read(path)))) {
          for await (const { accepted, rejected, dropped = 0 } of send(client, batch)) {
            done.accepted += accepted;
            done.rejected += rejected.length;
            done.dropped += dropped;
            shown.push(...rejected.slice(0, MOST_SHOWN - shown.length));
          }
          show(counted(done.accepted, 'record'));
        }
      });
      const dropped =
        done.dropped === 0 ? '' : ` ${done.dropped} of them belong to deleted traces and were dropped.`;
      print(
        io,
        options,
        { ...done, rejections: shown },
        `Imported ${counted(done.accepted, 'record')}.${dropped}`,
      );
      if (done.rejected > 0) throw new LinesRejectedError(done.rejected, shown);
    });
}

async function* read(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    if (errorCode(cause) === undefined) throw cause;
    throw new PathUnreadableError(path, { cause });
  }
}

/** Halves a body that is too large. Line numbers of rejections are converted to those of the file. */
async function* send(client: ServiceClient, { first, lines }: LineBatch): AsyncGenerator<IngestAnswer> {
  const answer = await trySend(client, Buffer.concat(lines));
  if (answer !== 'too large') {
    const rejected = answer.rejected.map(({ line, detail, ...rest }) => {
      const inFile = first + line - 1;
      return { ...rest, line: inFile, detail: detail.replace(/^line \d+/, `line ${inFile}`) };
    });
    yield { ...answer, rejected };
    return;
  }
  if (lines.length === 1) {
    const detail = `line ${first}: has more than ${LIMITS.lineBytes} bytes`;
    yield { accepted: 0, rejected: [{ line: first, detail }] };
    return;
  }
  const half = Math.ceil(lines.length / 2);
  yield* send(client, { first, lines: lines.slice(0, half) });
  yield* send(client, { first: first + half, lines: lines.slice(half) });
}

/** Retries while the service is busy, after its `Retry-After`. */
async function trySend(client: ServiceClient, body: Uint8Array): Promise<IngestAnswer | 'too large'> {
  for (let tries = 1; ; tries++) {
    try {
      return await client.postLines<IngestAnswer>(API.ingest.send.path, body, 'accepted', 'rejected');
    } catch (error) {
      if (!(error instanceof ServiceRefusedError)) throw error;
      if (error.status === 413) return 'too large';
      if ((error.status !== 429 && error.status !== 503) || tries === TRIES) throw error;
      const delayMs = Math.min(error.retryAfterMs ?? DEFAULT_RETRY_DELAY_MS, MAX_RETRY_DELAY_MS);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

/** Groups lines into bodies of at most 500 lines and 1 MiB. A longer line is alone. */
async function* groupLines(lines: AsyncIterable<Buffer>): AsyncGenerator<LineBatch> {
  let batch: LineBatch = { first: 1, lines: [] };
  let bytes = 0;
  for await (const line of lines) {
    const count = batch.lines.length;
    if (count >= LINES_AT_ONCE || (count > 0 && bytes + line.length > BYTES_AT_ONCE)) {
      yield batch;
      batch = { first: batch.first + count, lines: [] };
      bytes = 0;
    }
    batch.lines.push(line);
    bytes += line.length;
  }
  if (batch.lines.length > 0) yield batch;
}
