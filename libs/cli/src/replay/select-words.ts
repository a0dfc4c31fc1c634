import { type ConditionName, conditionOption, SAMPLE_KINDS, type SampleKind } from '@dacapo/protocol';
import type { SelectionOptions } from '@dacapo/tracer';
import { type Command, Option } from 'commander';
import { UsageError } from '../errors.js';
import { readConditionWords, withConditionWords } from '../output/condition-words.js';
import { wholeNumber } from '../output/read-words.js';

/** Options that select calls. Those of conditions are read by the table. */
export interface SelectWords {
  readonly [condition: string]: unknown;
  readonly limit?: number;
  readonly sample?: number;
  readonly sampleBy?: SampleKind;
  readonly seed?: number;
}

/** Replaces `--name`, which names the run. */
const FLAGS = { name: '--span-name <name>' };

export function withSelectWords(command: Command): Command {
  return withConditionWords(command, 'selections', FLAGS)
    .option('--limit <n>', 'maximum number of calls, newest first', wholeNumber(1))
    .option('--sample <n>', 'a random sample of this size', wholeNumber(1))
    .addOption(
      new Option('--sample-by <what>', 'how to choose the sample (default: random)').choices(SAMPLE_KINDS),
    )
    .option('--seed <n>', 'seed of the sample: the same seed picks the same calls', wholeNumber(0));
}

/** @throws UsageError when an option lacks another that it needs */
export function toSelectionOptions(words: SelectWords): SelectionOptions {
  const { limit, sample, sampleBy, seed } = words;
  const conditions = readConditionWords(words, 'selections', FLAGS);
  if (sample === undefined && (sampleBy ?? seed) !== undefined)
    throw new UsageError('--sample-by and --seed need --sample. Add --sample <n>.');
  if (conditions.score === undefined && Object.keys(conditions).some((name) => name.startsWith('score_')))
    throw new UsageError(
      '--score-is, --score-below and --score-above need the name of a score. Add --score <name>.',
    );
  return {
    ...Object.fromEntries(
      Object.entries(conditions).map(([name, value]) => [conditionOption(name as ConditionName), value]),
    ),
    limit,
    sample:
      sample === undefined
        ? undefined
        : { size: sample, ...(sampleBy && { by: sampleBy }), ...(seed !== undefined && { seed }) },
  };
}
