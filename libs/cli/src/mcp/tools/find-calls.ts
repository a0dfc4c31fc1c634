import { SPAN_STATUSES, type SpanStatus } from '@dacapo/protocol';
import { formatMs } from '../../traces/trace-table.js';
import { Answer } from '../answer.js';
import { count, KEY, type Tool } from '../tool.js';

interface Input {
  readonly key?: string;
  readonly status?: SpanStatus;
  readonly text?: string;
  readonly limit?: number;
}

const PREVIEW = 160;

/** Finds recorded calls, newest first, one per trace. */
export const findCalls: Tool<Input> = {
  name: 'find_calls',
  description: 'Find recorded production calls, newest first: trace id, key, status, error or input.',
  input: {
    key: KEY,
    status: { type: 'string', enum: SPAN_STATUSES },
    text: { type: 'string', maxLength: 200, description: 'words to search' },
    limit: count(50, 'default 10'),
  },
  required: [],
  acts: false,
  subject: ({ key }) => key,
  async run({ key, status, text, limit = 10 }, { service }) {
    const { items } = await service.api.traces.list({
      trace_function_key: key,
      status,
      text,
      limit: Math.max(1, limit),
    });
    const calls = items.filter(({ test_run_id }) => test_run_id === undefined);
    const lines = calls.map((trace) => {
      const call = trace.first_call ?? trace;
      const preview = call.error_preview ?? call.input_preview ?? '';
      const facts = [
        trace.id,
        call.trace_function_key,
        call.status,
        trace.started_at.slice(0, 19),
        formatMs(trace.duration_ms),
      ];
      return `${facts.join('  ')}\n  ${preview.replace(/\s+/g, ' ').slice(0, PREVIEW)}`;
    });
    const answer = new Answer().say(
      calls.length === 0
        ? 'No recorded call matches.'
        : `${calls.length} calls, newest first. Next: explain_error or replay_calls with a trace id and the key.`,
    );
    return calls.length === 0 ? answer : answer.quote(lines.join('\n'));
  },
};
