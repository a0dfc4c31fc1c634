import { contentText, toMembers, hasMembers } from '@dacapo/protocol';
import type { AgentsSpan } from './agents-types.js';

interface AgentRun {
  readonly parentId: string | null;
  input: unknown;
  output: unknown;
}

const AROUND: ReadonlySet<string> = new Set(['task', 'agent', 'turn']);
/** How many open spans are remembered; the oldest is forgotten first. */
const RUNS_KEPT = 10_000;

/**
 * Inputs and outputs of runs and agents. The package reports them only for model calls: the first question to a model is the run's input,
 * and the last answer is its output.
 */
export class AgentRuns {
  private readonly open = new Map<string, AgentRun>();

  started({ spanId, parentId, spanData }: AgentsSpan): void {
    if (!AROUND.has(spanData.type)) return;
    this.open.set(spanId, { parentId, input: undefined, output: undefined });
    const [oldest] = this.open.keys();
    if (this.open.size > RUNS_KEPT && oldest !== undefined) this.open.delete(oldest);
  }

  /** @returns input and output of a run or an agent that ended; of other spans nothing */
  ended({ spanId, parentId, spanData }: AgentsSpan): { input?: unknown[]; output?: unknown } {
    if (spanData.type === 'response')
      this.answered(parentId, spanData['_input'], toMembers(spanData['_response'])['output']);
    if (spanData.type === 'generation') this.answered(parentId, spanData['input'], spanData['output']);
    const run = this.open.get(spanId);
    this.open.delete(spanId);
    if (run === undefined || spanData.type === 'turn') return {};
    const { input, output } = run;
    return { ...(input !== undefined && { input: [input] }), ...(output !== undefined && { output }) };
  }

  private answered(parentId: string | null, input: unknown, output: unknown): void {
    for (let run = this.open.get(parentId ?? ''); run; run = this.open.get(run.parentId ?? '')) {
      run.input ??= input;
      if (output !== undefined) run.output = answerText(output) ?? output;
    }
  }
}

/** The text of the messages among the items of a response, or of the message of a chat completion. */
function answerText(output: unknown): string | undefined {
  if (!Array.isArray(output)) return undefined;
  const messages = output.flatMap((item: unknown) => {
    const { type, choices } = toMembers(item);
    if (type === 'message') return [item];
    return Array.isArray(choices) ? [toMembers(choices[0])['message']] : [];
  });
  const text = messages.filter(hasMembers).map(({ content }) => contentText(content)).join('\n'); // prettier-ignore
  return text === '' ? undefined : text;
}
