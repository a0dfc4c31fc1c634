import type { SelectedCall } from '@dacapo/protocol';
import type { ExecutionOptions, FunctionArguments, FunctionOutput, ReplayResult } from '@dacapo/tracer';
import { Tracer } from '@dacapo/tracer';
import { MemoryRunSource, Replayer, withFileCodecs } from '@dacapo/tracer/engine';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { toCassetteFile } from '../cassette/cassette-file.js';
import { readCassette } from '../cassette/read-cassette.js';
import { toRecordedRoots } from '../cassette/to-recorded-calls.js';
import { CassetteSetupError } from '../errors.js';
import { DEFAULT_DIRECTORY } from '../tape/with-cassette.js';

/** Which cassettes are replayed, and how. */
export interface ReplayCassettesOptions<
  A extends unknown[] = unknown[],
  R = unknown,
> extends ExecutionOptions<A, R> {
  /** Default: `test/cassettes` in the working directory. */
  readonly directory?: string;
  /** Names of cassettes. Default: all in the directory. */
  readonly names?: readonly string[];
}

type AnyFunction = (...args: never[]) => unknown;

/**
 * Replays the outermost calls with this key of several cassettes through `fn`, like `tracer.replay` without a service. Inner calls are
 * answered (`mock: 'all'`), and connections are denied, unless the options say otherwise.
 *
 * @throws CassetteFileError, and CassetteSetupError when no cassette has such a call
 */
export async function replayCassettes<F extends AnyFunction>(
  key: string,
  fn: F,
  options: ReplayCassettesOptions<FunctionArguments<F>, FunctionOutput<F>> = {},
): Promise<ReplayResult<FunctionArguments<F>, FunctionOutput<F>>> {
  const { directory = DEFAULT_DIRECTORY, names, ...run } = options;
  const files = names?.map((name) => toCassetteFile(directory, name)) ?? listCassettes(directory);
  const roots = files
    .flatMap((file) => toRecordedRoots(readCassette(file)))
    .filter((root) => root.key === key);
  if (roots.length === 0)
    throw new CassetteSetupError(
      `No cassette in ${directory} has an outermost call of ${JSON.stringify(key)}. Record one with DACAPO_CASSETTES=record, or write one with \`dacapo cassettes pull\`.`,
    );
  const selected = roots.map(({ call }, item_no): SelectedCall => ({
    item_no,
    trace_id: call.trace_id,
    call,
  }));
  const result = await createReplayer(selected).replay(
    key,
    fn as unknown as (...args: unknown[]) => unknown,
    {
      mock: 'all',
      network: 'deny',
      ...(run as ExecutionOptions),
    },
  );
  return result as ReplayResult<FunctionArguments<F>, FunctionOutput<F>>;
}

function listCassettes(directory: string): string[] {
  if (!existsSync(directory)) return [];
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return paths
    .filter((path) => path.endsWith('.ndjson'))
    .sort()
    .map((path) => join(directory, path));
}

/** Its tracer records in memory, and only what no tracer has wrapped. */
function createReplayer(selected: readonly SelectedCall[]): Replayer {
  const tracer = new Tracer({ apiKey: '' });
  const capturer = tracer.withRecorder(({ fields }) => fields.capturer);
  if (capturer === undefined)
    throw new CassetteSetupError('Import @dacapo/testing before you call replayCassettes.');
  return new Replayer({
    record: (key, plain) => tracer.withSpan(key, plain),
    isRecorded: true,
    isLocal: true,
    source: new MemoryRunSource(selected),
    capturer,
    codecs: withFileCodecs(),
    hooks: undefined,
    nowMs: () => performance.now(),
    onReportFailure: () => undefined,
  });
}
