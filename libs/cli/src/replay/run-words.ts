import { SAMPLE_KINDS, type SampleKind, SPAN_STATUSES, type SpanStatus } from '@dacapo/protocol';
import type { DatasetItems, PlayOptions, RunBaseline, SelectionOptions } from '@dacapo/tracer';
import { type Command, Option } from 'commander';
import { UsageError } from '../errors.js';
import { baseline, dataset, each, live, type LiveWord, metadata, moment, wholeNumber } from './read-words.js';

/** The words of the command line that say which calls are played, and how. */
export interface RunWords {
  readonly dataset?: DatasetItems;
  readonly limit?: number;
  readonly since?: string;
  readonly until?: string;
  readonly session?: string;
  readonly status?: SpanStatus;
  readonly class?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly traceId?: readonly string[];
  readonly everyCall?: true;
  readonly sample?: number;
  readonly sampleBy?: SampleKind;
  readonly seed?: number;
  readonly mock?: 'none' | 'marked' | 'all';
  readonly live?: readonly LiveWord[];
  readonly onMockMiss?: 'fail' | 'recorded' | 'run';
  readonly network?: 'allow' | 'deny';
  readonly ignore?: readonly string[];
  readonly baseline?: RunBaseline;
  readonly repeat?: number;
  readonly timeout?: number;
  readonly concurrency?: number;
  readonly name?: string;
  readonly resume?: string;
}

const verbatim = (text: string): string => text;

export function withRunWords(command: Command): Command {
  const time = moment(() => Date.now());
  return command
    .option('--dataset <name[@version]>', 'the items of a dataset, in place of stored calls', dataset)
    .option('--limit <n>', 'at most so many calls, the newest first', wholeNumber(1))
    .option('--since <time>', 'calls that started then or later: a time, or how long ago (7d, 24h)', time)
    .option('--until <time>', 'calls that started before', time)
    .option('--session <id>', 'calls in traces of this session')
    .addOption(new Option('--status <status>', 'calls with this status').choices(SPAN_STATUSES))
    .option('--class <name>', 'calls that were recorded on this class; may be given again', each(verbatim))
    .option('--metadata <name=value>', 'calls in traces with this metadata; may be given again', metadata)
    .option('--text <text>', 'calls whose input, output, error or prompt contains it')
    .option('--trace-id <id>', 'this trace; may be given again', each(verbatim))
    .option('--every-call', 'every call of the key, not of each trace the outermost one alone')
    .option('--sample <n>', 'so many of the selected calls', wholeNumber(1))
    .addOption(new Option('--sample-by <what>', 'which of them (random)').choices(SAMPLE_KINDS))
    .option('--seed <n>', 'the same seed picks the same calls of the same data', wholeNumber(0))
    .addOption(
      new Option('--mock <what>', 'what is answered from the recording (none)').choices([
        'none',
        'marked',
        'all',
      ]),
    )
    .option('--live <type|key=key>', 'what runs although it is mocked; may be given again', each(live))
    .addOption(
      new Option('--on-mock-miss <what>', 'what a call gets that was not recorded').choices([
        'fail',
        'recorded',
        'run',
      ]),
    )
    .addOption(
      new Option('--network <rule>', 'whether code inside may connect (allow)').choices(['allow', 'deny']),
    )
    .option('--ignore <path>', 'what may vary in outputs, as $.createdAt; may be given again', each(verbatim))
    .option(
      '--baseline <what>',
      'what outcomes are compared with: recording (the default), accepted, self, or the id of a test run',
      baseline,
    )
    .option('--repeat <n>', 'how often each call is played (1)', wholeNumber(1))
    .option('--timeout <ms>', 'how long one call may take (120000)', wholeNumber(1))
    .option('--concurrency <n>', 'how many calls are played at one time (10)', wholeNumber(1))
    .option('--name <name>', 'what the test run is called')
    .option('--resume <id>', 'go on with a test run that ended early: what is left of its calls');
}

/** What is played: stored calls of a key, or the items of a dataset. */
export type PlayedData = SelectionOptions | DatasetItems;

export function isDataset(data: PlayedData): data is DatasetItems {
  return 'dataset' in data;
}

/** @throws UsageError when words stand together that do not go together, or without one that they need */
export function playedDataOf(words: RunWords): PlayedData {
  const { dataset, sample, sampleBy, seed } = words;
  if (sample === undefined && (sampleBy ?? seed) !== undefined)
    throw new UsageError('--sample-by and --seed say which calls --sample takes. Add --sample <n>.');
  const selection: SelectionOptions = {
    limit: words.limit,
    since: words.since,
    until: words.until,
    sessionId: words.session,
    status: words.status,
    classes: words.class,
    metadata: words.metadata,
    text: words.text,
    traceIds: words.traceId,
    everyCall: words.everyCall,
    sample:
      sample === undefined
        ? undefined
        : { size: sample, ...(sampleBy && { by: sampleBy }), ...(seed !== undefined && { seed }) },
  };
  if (dataset === undefined) return selection;
  if (Object.values(selection).every((value) => value === undefined)) return dataset;
  throw new UsageError(
    '--dataset plays all items of a dataset, and words such as --since and --limit select stored calls. Leave out one of them.',
  );
}

export function playOptionsOf(words: RunWords): PlayOptions {
  return {
    mock: words.mock,
    live: words.live,
    onMockMiss: words.onMockMiss,
    network: words.network,
    ignore: words.ignore,
    baseline: words.baseline,
    repeat: words.repeat,
    timeoutMs: words.timeout,
    maxConcurrency: words.concurrency,
    name: words.name,
    resume: words.resume,
  };
}
