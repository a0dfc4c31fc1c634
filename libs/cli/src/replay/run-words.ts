import type { DatasetItems, ExecutionOptions, SelectionOptions } from '@dacapo/tracer';
import { type Command, Option } from 'commander';
import { UsageError } from '../errors.js';
import {
  amount,
  baseline,
  dataset,
  each,
  live,
  type LiveWord,
  normalize,
  testRunId,
  wholeNumber,
} from '../output/read-words.js';
import { toSelectionOptions, type SelectWords, withSelectWords } from './select-words.js';

/** Options that select calls and control their replay. */
export interface RunWords extends SelectWords {
  readonly dataset?: DatasetItems;
  readonly mock?: 'none' | 'marked' | 'all';
  readonly live?: readonly LiveWord[];
  readonly onMockMiss?: 'fail' | 'recorded' | 'run';
  readonly normalize?: Readonly<Record<string, readonly string[]>>;
  readonly clock?: 'real' | 'recorded';
  readonly network?: 'allow' | 'deny';
  readonly ignore?: readonly string[];
  readonly baseline?: ReturnType<typeof baseline>;
  readonly repeat?: number;
  readonly timeout?: number;
  readonly concurrency?: number;
  readonly name?: string;
  readonly resume?: string;
  readonly maxUsd?: number;
}

const verbatim = (text: string): string => text;

export function withRunWords(command: Command): Command {
  return withSelectWords(command)
    .option('--dataset <name[@version]>', 'replay the items of a dataset instead of stored calls', dataset)
    .addOption(
      new Option(
        '--mock <what>',
        'which inner calls are answered from the recording (default: none)',
      ).choices(['none', 'marked', 'all']),
    )
    .option(
      '--live <type|key=key>',
      'inner calls that run although --mock is all; repeat for more',
      each(live),
    )
    .addOption(
      new Option('--on-mock-miss <what>', 'what to do when a mocked call has no recording').choices([
        'fail',
        'recorded',
        'run',
      ]),
    )
    .option(
      '--normalize <key=path>',
      'a part of the arguments of calls with this key that may differ from the recording, such as search=$[0].requestId; repeat for more',
      normalize,
    )
    .addOption(
      new Option(
        '--clock <time>',
        'the time that Date returns inside replayed calls (default: real)',
      ).choices(['real', 'recorded']),
    )
    .addOption(
      new Option('--network <rule>', 'whether replayed code may open connections (default: allow)').choices([
        'allow',
        'deny',
      ]),
    )
    .option(
      '--ignore <path>',
      'a part of outputs (such as $.createdAt) or of errors ($error.retryAfter) that may differ; repeat for more',
      each(verbatim),
    )
    .option(
      '--baseline <what>',
      'the baseline: recording (the default), accepted, self, the id of a test run, or file#export, a function that runs in the same process',
      baseline,
    )
    .option('--repeat <n>', 'how often to replay each call (default: 1)', wholeNumber(1))
    .option('--timeout <ms>', 'timeout for each call in ms (default: 120000)', wholeNumber(1))
    .option('--concurrency <n>', 'calls replayed at the same time (default: 10)', wholeNumber(1))
    .option('--name <name>', 'the name of the test run')
    .option(
      '--max-usd <n>',
      'stop after the call with which live model calls have cost more US$; a call without a price stops too',
      amount,
    )
    .option('--resume <id>', 'resume an interrupted test run: replay its remaining calls', testRunId);
}

/** Stored calls of a key, or the items of a dataset. */
export type ReplayData = SelectionOptions | DatasetItems;

export function isDataset(data: ReplayData): data is DatasetItems {
  return 'dataset' in data;
}

/** @throws UsageError when options conflict, or one lacks another that it needs */
export function readReplayData(words: RunWords): ReplayData {
  const { dataset } = words;
  const selection = toSelectionOptions(words);
  if (dataset === undefined) return selection;
  if (Object.values(selection).every((value) => value === undefined)) return dataset;
  throw new UsageError(
    '--dataset replays all items of a dataset, but options such as --since and --limit select stored calls. Remove one of them.',
  );
}

/** Omits a baseline function, whose module is not loaded yet. */
export function readReplayOptions(words: RunWords): ExecutionOptions {
  const { baseline } = words;
  return {
    mock: words.mock,
    live: words.live,
    onMockMiss: words.onMockMiss,
    normalize: words.normalize,
    clock: words.clock,
    network: words.network,
    ignore: words.ignore,
    baseline: typeof baseline === 'object' && 'file' in baseline ? undefined : baseline,
    repeat: words.repeat,
    timeoutMs: words.timeout,
    maxConcurrency: words.concurrency,
    name: words.name,
    resume: words.resume,
  };
}
