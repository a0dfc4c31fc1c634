import { judgeOutcome, readBaselineOutcome, readCandidateOutcome, recordedOutcome } from '@dacapo/evaluation';
import type { Divergence, ErrorRecord, JsonValue } from '@dacapo/protocol';
import { Answer } from '../answer.js';
import { count, RUN_ID, type Tool } from '../tool.js';

interface Input {
  readonly run_id: string;
  readonly item_no: number;
}

const MOST_DIFFERENCES = 30;
const MOST_CHARACTERS = 3_000;
const LONGEST_OUTCOME = 1_000;

/** How the outcome and the calls inside one replayed call differ from the recording. */
export const diffItem: Tool<Input> = {
  name: 'diff_item',
  description: 'Show how one replayed call differs from its recording: outcome and calls inside.',
  input: { run_id: RUN_ID, item_no: count(1_000_000, 'from replay_calls') },
  required: ['run_id', 'item_no'],
  acts: false,
  subject: ({ run_id, item_no }) => `${run_id}/${item_no}`,
  async run({ run_id, item_no }, { service }) {
    const item = await service.api.testRuns.getItem({ id: run_id, item_no });
    const { verdict, fixed, failing_as_before: isFailing, new_error: isNew, divergences = [] } = item;
    const notes = [fixed && 'fixed', isFailing && 'fails as recorded', isNew && 'new error'].filter(Boolean);
    const answer = new Answer().say(
      `Item ${item_no}: ${verdict}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}.`,
    );
    const now = recordedOutcome(readCandidateOutcome(item));
    const differences =
      now === undefined ? [] : (judgeOutcome(recordedOutcome(readBaselineOutcome(item)), now).diff ?? []);
    if (differences.length > 0)
      answer.say('Outcome, recorded → now:').quote(
        differences
          .slice(0, MOST_DIFFERENCES)
          .map(
            ({ path, kind, before, now: after }) =>
              `${path} ${kind}: ${before?.text ?? '-'} → ${after?.text ?? '-'}`,
          )
          .join('\n'),
        MOST_CHARACTERS,
      );
    else
      answer
        .say('Outcome, recorded and now:')
        .quote(
          [showOutcome(item.original_error, item.original_output), showOutcome(item.error, item.result)].join(
            '\n',
          ),
          MOST_CHARACTERS,
        );
    if (divergences.length > 0)
      answer
        .say(`${item.divergence_count ?? divergences.length} differences of calls inside:`)
        .quote(divergences.slice(0, MOST_DIFFERENCES).map(describeDivergence).join('\n'));
    return answer;
  },
};

function showOutcome(error: ErrorRecord | undefined, output: JsonValue | undefined): string {
  const text = error === undefined ? JSON.stringify(output ?? null) : `${error.name}: ${error.message}`;
  return text.slice(0, LONGEST_OUTCOME);
}

function describeDivergence({ kind, path, recorded_arguments, new_arguments, reason }: Divergence): string {
  return [
    `${kind} ${path.join(' > ')}`,
    ...(recorded_arguments === undefined ? [] : [`  recorded: ${recorded_arguments}`]),
    ...(new_arguments === undefined ? [] : [`  now:      ${new_arguments}`]),
    ...(reason === undefined ? [] : [`  ${reason}`]),
  ].join('\n');
}
