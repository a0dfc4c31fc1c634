import {
  FIELD_OPTIONS,
  SAMPLE_KINDS,
  type SampleKind,
  SPAN_STATUSES,
  type SpanStatus,
} from '@dacapo/protocol';
import type { SelectionOptions } from '@dacapo/tracer';
import { type Command, Option } from 'commander';
import { UsageError } from '../errors.js';
import { readFieldWords, withFieldWords } from '../output/field-words.js';
import { amount, each, metadata, moment, number, scalar, wholeNumber } from './read-words.js';

/** Options that select calls. */
export interface SelectWords {
  readonly limit?: number;
  readonly since?: string;
  readonly until?: string;
  readonly status?: SpanStatus;
  readonly class?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly minDurationMs?: number;
  readonly maxDurationMs?: number;
  readonly minTokens?: number;
  readonly maxTokens?: number;
  readonly minCostUsd?: number;
  readonly maxCostUsd?: number;
  readonly score?: string;
  readonly scoreIs?: string | number | boolean;
  readonly scoreBelow?: number;
  readonly scoreAbove?: number;
  readonly traceId?: readonly string[];
  readonly everyCall?: true;
  readonly sample?: number;
  readonly sampleBy?: SampleKind;
  readonly seed?: number;
}

/** Replaces `--name`, which names the run. */
const FLAGS = { name: '--span-name <name>' };

const verbatim = (text: string): string => text;

export function withSelectWords(command: Command): Command {
  const time = moment(() => Date.now());
  return withFieldWords(command, { trace: 'calls in traces', span: 'calls' }, FLAGS)
    .option('--limit <n>', 'at most so many calls, the newest first', wholeNumber(1))
    .option('--since <time>', 'calls that started then or later: a time, or how long ago (7d, 24h)', time)
    .option('--until <time>', 'calls that started before', time)
    .addOption(new Option('--status <status>', 'calls with this status').choices(SPAN_STATUSES))
    .option('--class <name>', 'calls that were recorded on this class; may be given again', each(verbatim))
    .option('--metadata <path=value>', 'calls in traces with this metadata; may be given again', metadata)
    .option('--text <words>', 'calls that say all of it: words, "phrases", beginnings as refund*')
    .option('--min-duration-ms <ms>', 'calls in traces that took so long at least', amount)
    .option('--max-duration-ms <ms>', 'calls in traces that took so long at most', amount)
    .option('--min-tokens <n>', 'calls in traces that used so many tokens at least', amount)
    .option('--max-tokens <n>', 'calls in traces that used so many tokens at most', amount)
    .option('--min-cost-usd <dollars>', 'calls in traces that cost so much at least', amount)
    .option('--max-cost-usd <dollars>', 'calls in traces that cost so much at most', amount)
    .option('--score <name>', 'calls in traces with a score of this name')
    .option('--score-is <value>', 'that score is this', scalar)
    .option('--score-below <n>', 'that score is lower', number)
    .option('--score-above <n>', 'that score is higher', number)
    .option('--trace-id <id>', 'this trace; may be given again', each(verbatim))
    .option('--every-call', 'every call of the key, not of each trace the outermost one alone')
    .option('--sample <n>', 'so many of the selected calls', wholeNumber(1))
    .addOption(new Option('--sample-by <what>', 'which of them (random)').choices(SAMPLE_KINDS))
    .option('--seed <n>', 'the same seed picks the same calls of the same data', wholeNumber(0));
}

/** @throws UsageError when an option lacks another that it needs */
export function toSelectionOptions(words: SelectWords): SelectionOptions {
  const { sample, sampleBy, seed, score, scoreIs, scoreBelow, scoreAbove } = words;
  if (sample === undefined && (sampleBy ?? seed) !== undefined)
    throw new UsageError('--sample-by and --seed say which calls --sample takes. Add --sample <n>.');
  if (score === undefined && (scoreIs ?? scoreBelow ?? scoreAbove) !== undefined)
    throw new UsageError(
      '--score-is, --score-below and --score-above say of a score what it is. Add --score <name>.',
    );
  return {
    ...Object.fromEntries(readFieldWords(words, FLAGS).map(([name, value]) => [FIELD_OPTIONS[name], value])),
    limit: words.limit,
    since: words.since,
    until: words.until,
    status: words.status,
    classes: words.class,
    metadata: words.metadata,
    text: words.text,
    minDurationMs: words.minDurationMs,
    maxDurationMs: words.maxDurationMs,
    minTokens: words.minTokens,
    maxTokens: words.maxTokens,
    minCostUsd: words.minCostUsd,
    maxCostUsd: words.maxCostUsd,
    score,
    scoreIs,
    scoreBelow,
    scoreAbove,
    traceIds: words.traceId,
    everyCall: words.everyCall,
    sample:
      sample === undefined
        ? undefined
        : { size: sample, ...(sampleBy && { by: sampleBy }), ...(seed !== undefined && { seed }) },
  };
}
