import { Answer } from '../answer.js';
import { RUN_ID, type Tool } from '../tool.js';

interface Input {
  readonly run_id: string;
  readonly with: string;
}

/** Relations of items that need no look. */
const EQUAL = new Set(['same']);
const MOST_ITEMS = 60;

/** Compares two replays item by item. */
export const compareRuns: Tool<Input> = {
  name: 'compare_runs',
  description: 'Compare two replays item by item, such as before and after an edit.',
  input: { run_id: RUN_ID, with: { ...RUN_ID, description: 'the earlier run' } },
  required: ['run_id', 'with'],
  acts: false,
  subject: ({ run_id }) => run_id,
  async run({ run_id, with: other }, { service }) {
    const { totals, items, here, there, next_cursor } = await service.api.testRuns.compare({
      id: run_id,
      with: other,
    });
    const counts = Object.entries(totals).flatMap(([relation, number]) =>
      number > 0 ? [`${number} ${relation}`] : [],
    );
    const answer = new Answer().say(
      `${counts.join(', ') || 'No items'}. Status: ${here.status} and ${there.status}.`,
    );
    const lines = items
      .filter(({ relation }) => !EQUAL.has(relation))
      .slice(0, MOST_ITEMS)
      .map(({ relation, here: now, there: before }) => {
        const item = now ?? before;
        const facts = [
          `item ${item?.item_no ?? '?'}`,
          relation,
          `${before?.verdict ?? '-'} → ${now?.verdict ?? '-'}`,
        ];
        return [...facts, item?.source_trace_id ?? '', now?.error_preview ?? ''].join('  ').trimEnd();
      });
    if (lines.length > 0) answer.quote(lines.join('\n'));
    if (next_cursor !== undefined) answer.say('There are more items. Open the page of the run to see them.');
    return answer;
  },
};
