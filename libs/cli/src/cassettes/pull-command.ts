import { resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import type { CliIo } from '../io.js';
import { print } from '../output/print.js';
import { printable } from '../output/printable.js';
import { counted } from '../output/table.js';
import { type ConnectionOptions, resolveConnection, withConnection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { findTraceId } from '../traces/find-trace-id.js';
import { DEFAULT_DIRECTORY } from './default-directory.js';
import { pullCassette } from './pull-cassette.js';

interface PullWords extends ConnectionOptions {
  readonly trace: string;
  readonly out?: string;
  readonly force?: true;
}

export function addPullCommand(cassettes: Command, io: CliIo): void {
  withConnection(cassettes.command('pull').argument('<key>', 'the trace function key of the call'))
    .description('write a recorded call with all calls inside it into a cassette, masked again')
    .requiredOption('--trace <id>', 'the id of the trace, or its beginning')
    .option('--out <file>', `the file (default: ${DEFAULT_DIRECTORY}/<key>.ndjson)`)
    .option('--force', 'replace a file that holds other calls')
    .action((key: string, words: PullWords) => pull(key, words, io));
}

/** @throws NoCallToPullError, CassetteExistsError, UsageError */
async function pull(key: string, words: PullWords, io: CliIo): Promise<void> {
  const { toCassetteFile } = await import('@dacapo/testing/internal');
  const file = words.out === undefined ? toCassetteFile(DEFAULT_DIRECTORY, key) : resolve(words.out);
  if (!file.endsWith('.ndjson'))
    throw new UsageError('--out must end with .ndjson.', 'dacapo cassettes pull');
  const client = new ServiceClient(resolveConnection(words, io.env));
  const traceId = await findTraceId(client, words.trace);
  const cassette = { key, traceId, file, replaces: words.force === true };
  const { isChanged, roots, innerCalls } = await pullCassette(client, cassette);
  const failed = roots.find(({ status }) => status === 'error');
  const result = { file, trace_id: traceId, calls: roots.length + innerCalls, changed: isChanged };
  print(
    io,
    words,
    result,
    [
      `${isChanged ? 'Wrote' : 'Unchanged:'} ${file}: ${counted(roots.length, 'call')} of ${printable(key)}, ${counted(innerCalls, 'inner call')}.`,
      ...(failed === undefined
        ? []
        : [
            printable(
              `It failed with ${failed.error?.name ?? 'an error'}: ${failed.error?.message ?? 'unknown'}`,
            ),
            "Test the fix with expect: 'fixed'.",
          ]),
    ].join('\n'),
  );
}
