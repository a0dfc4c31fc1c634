import type { SpanSummary } from '@dacapo/protocol';
import { listCallers } from '../../traces/list-callers.js';
import { readTrace } from '../../traces/read-trace.js';
import { Answer } from '../answer.js';
import { ToolRefusedError } from '../errors.js';
import { type Tool, TRACE_ID } from '../tool.js';

interface Input {
  readonly trace_id: string;
}

const MOST_INPUT = 1_500;
const MOST_STACK = 2_000;
/** Calls that are shown: the innermost ones. */
const LONGEST_WAY = 30;

/** Where an error of a trace began, how it came to the outermost call, and what the failed call was given. */
export const explainError: Tool<Input> = {
  name: 'explain_error',
  description:
    'Explain why a trace failed: the call where the error began, its callers, error, stack and input.',
  input: { trace_id: TRACE_ID },
  required: ['trace_id'],
  acts: false,
  subject: ({ trace_id }) => trace_id,
  async run({ trace_id }, { service }) {
    const { spans } = await readTrace(service, trace_id);
    const byId = new Map(spans.map((span) => [span.id, span]));
    const origin = findOrigin(byId);
    if (origin === undefined)
      throw new ToolRefusedError('No call of this trace failed. See its calls with get_trace_tree.');
    const way = listCallers(byId, origin);
    const { span_data: data } = await service.api.traces.getSpan({ id: trace_id, span_id: origin.id });
    const {
      name,
      message,
      stack = '',
      code,
      class: className,
      cause,
      properties,
    } = data.error ?? {
      name: 'Error',
      message: '(not recorded)',
    };
    const caught = way.find(({ status }) => status !== 'error');
    const answer = new Answer().say(
      `The error began in span ${origin.id}.${caught === undefined ? ' It reached the outermost call.' : ' A caller handled it.'} From the outermost call down to it:`,
    );
    answer.quote(
      way
        .slice(-LONGEST_WAY)
        .map(({ id, trace_function_key: key, status }) => `${id} ${status} ${key}`)
        .join('\n'),
      MOST_STACK,
    );
    answer
      .say('Error:')
      .quote(JSON.stringify({ name, class: className, code, message, properties, cause }), MOST_STACK);
    if (stack !== '') answer.say('Stack:').quote(stack, MOST_STACK);
    answer.say('Input of the call:').quote(JSON.stringify(data.input ?? null), MOST_INPUT);
    return answer.say(
      'Next: replay_calls with the key of the outermost call and this trace id reproduces it. Then edit, build, and replay again.',
    );
  },
};

/** Of the failed calls without a failed call inside, the one that ended last: after failed attempts, its error is the one that was thrown. */
function findOrigin(byId: ReadonlyMap<string, SpanSummary>): SpanSummary | undefined {
  const failed = [...byId.values()].filter(({ status }) => status === 'error');
  const hasFailedInside = new Set(failed.map(({ parent_id }) => parent_id));
  const reached = failed.filter(({ id }) => !hasFailedInside.has(id));
  const root = failed.find(({ parent_id }) => parent_id === undefined);
  // An error that reached the outermost call matters more than one that was handled.
  const unhandled = reached.filter((span) =>
    listCallers(byId, span).every(({ status }) => status === 'error'),
  );
  const candidates = root !== undefined && unhandled.length > 0 ? unhandled : reached;
  return candidates.toSorted((a, b) => (a.ended_at ?? '').localeCompare(b.ended_at ?? '')).at(-1);
}
