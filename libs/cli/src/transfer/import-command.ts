import { type IngestAnswer, LIMITS, type Rejection, ROUTES } from '@dacapo/protocol';
import type { Command } from 'commander';
import { createReadStream } from 'node:fs';
import { codeOf, LinesRejectedError, PathUnreadableError, ServiceRefusedError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { counted } from '../output/table.js';
import { CLEAR_LINE } from '../replay/progress.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { batchesOf, linesOf, type LineBatch } from './line-batches.js';

interface Imported {
  accepted: number;
  rejected: number;
  /** Of traces and sessions that were deleted in this service. */
  dropped: number;
}

const MOST_SHOWN = 5;
const TRIES = 60;
const TRIED_AGAIN_AFTER_S = 2;

/** `dacapo import`: takes in a file of lines, through the service, so that nothing is stored twice. */
export function addImportCommand(program: Command, io: CliIo): void {
  withConnection(program.command('import').argument('<file>', 'what `dacapo export` wrote'))
    .description('store traces of a file; what is there already stays as it is')
    .action(async (path: string, options: ConnectionOptions) => {
      const client = new ServiceClient(resolveConnection(options, io.env));
      const done: Imported = { accepted: 0, rejected: 0, dropped: 0 };
      const shown: Rejection[] = [];
      for await (const batch of batchesOf(linesOf(read(path)))) {
        for await (const { accepted, rejected, dropped = 0 } of send(client, batch)) {
          done.accepted += accepted;
          done.rejected += rejected.length;
          done.dropped += dropped;
          shown.push(...rejected.slice(0, MOST_SHOWN - shown.length));
        }
        if (io.stderr.isTTY) io.stderr.write(`${CLEAR_LINE}${counted(done.accepted, 'record')}`);
      }
      if (io.stderr.isTTY) io.stderr.write(CLEAR_LINE);
      const dropped =
        done.dropped === 0 ? '' : ` ${done.dropped} of them are of deleted traces, and were dropped.`;
      print(
        io,
        options,
        { ...done, rejections: shown },
        `Taken: ${counted(done.accepted, 'record')}.${dropped}`,
      );
      if (done.rejected > 0) throw new LinesRejectedError(done.rejected, shown);
    });
}

async function* read(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause;
    throw new PathUnreadableError(path, { cause });
  }
}

/** A body that is too large is sent in halves. Lines of rejections are those of the file. */
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

/** Waits as long as a busy service says. */
async function trySend(client: ServiceClient, body: Uint8Array): Promise<IngestAnswer | 'too large'> {
  for (let tries = 1; ; tries++) {
    try {
      return await client.postLines<IngestAnswer>(ROUTES.ingest, body, 'accepted', 'rejected');
    } catch (error) {
      if (!(error instanceof ServiceRefusedError)) throw error;
      if (error.status === 413) return 'too large';
      if ((error.status !== 429 && error.status !== 503) || tries === TRIES) throw error;
      const waitS = error.retryAfterS ?? TRIED_AGAIN_AFTER_S;
      await new Promise((resolve) => setTimeout(resolve, waitS * 1000));
    }
  }
}
