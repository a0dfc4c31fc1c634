import { contentText, type UsageRecord, type Members, toMembers, toList } from '@dacapo/protocol';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { Recorder } from '../../recording/recorder.js';
import { defineSpan } from '../../recording/span-definition.js';
import { count, membersWithout, sum } from '../readers.js';

interface Turn {
  readonly id: unknown;
  readonly span: ActiveSpan;
  readonly message: Members;
  readonly content: unknown[];
}

const TURN = defineSpan({ key: 'claude.turn', name: 'turn' });
const NO_TOOL = '';

/** The SDK's names for providers that have another name in our records. */
const PROVIDERS: Readonly<Record<string, string>> = {
  firstParty: 'anthropic',
  anthropicAws: 'anthropic',
  foundry: 'azure',
};

/**
 * Creates spans from the messages of a session: a turn per model answer, a tool per call, and the usage of each model.
 * Messages of a subagent are inside the tool that started it.
 */
export class SessionSpans {
  private readonly tools = new Map<string, ActiveSpan>();
  /** The open turn of the session and of each subagent, by the id of its tool. */
  private readonly turns = new Map<string, Turn>();
  /** When the model of the session, or of a subagent, started to work. */
  private readonly workingSince = new Map<string, number>();
  private readonly usage = new Map<string, Members>();

  constructor(
    private readonly recorder: Recorder,
    private readonly session: ActiveSpan,
  ) {}

  add(event: unknown): void {
    const { type, message, parent_tool_use_id, tool_use_result, session_id } = toMembers(event);
    const agent = typeof parent_tool_use_id === 'string' ? parent_tool_use_id : NO_TOOL;
    if (type === 'system') {
      if (this.session.trace.session === undefined && typeof session_id === 'string')
        this.session.trace.setSessionId(session_id);
      if (!this.turns.has(NO_TOOL)) this.workingSince.set(NO_TOOL, this.recorder.nowMs());
    }
    if (type === 'assistant') this.addAnswer(agent, toMembers(message));
    if (type === 'user') {
      this.endTurn(agent);
      this.endTools(toMembers(message)['content'], tool_use_result);
      this.workingSince.set(agent, this.recorder.nowMs());
    }
    if (type === 'result') {
      this.endTurns();
      this.addUsage(toMembers(event));
    }
  }

  /** No more messages come. */
  end(): void {
    this.endTurns();
    for (const tool of this.tools.values()) tool.finish('cancelled', undefined);
    this.tools.clear();
    for (const [model, used] of this.usage) this.writeUsage(model, used);
    this.usage.clear();
  }

  /** Each block of an answer arrives in a separate message with the id of the answer. */
  private addAnswer(agent: string, message: Members): void {
    const { id, content } = message;
    if (this.turns.get(agent)?.id !== id) this.endTurn(agent);
    let turn = this.turns.get(agent);
    if (turn === undefined) {
      const span = this.open(TURN, [], agent, this.workingSince.get(agent));
      if (span === undefined) return;
      this.turns.set(agent, (turn = { id, span, message, content: [] }));
    }
    turn.span.endedMs = this.recorder.nowMs();
    for (const block of toList(content)) {
      turn.content.push(block);
      const { type, id: callId, name, input } = toMembers(block);
      if (type !== 'tool_use' || typeof callId !== 'string' || typeof name !== 'string') continue;
      const definition = defineSpan({ key: `claude.tool.${name}`, name, type: 'function', kind: 'tool' });
      const tool = this.open(definition, [input], agent);
      if (tool !== undefined) this.tools.set(callId, tool);
      this.workingSince.set(callId, this.recorder.nowMs());
    }
  }

  private endTurns(): void {
    for (const agent of [...this.turns.keys()]) this.endTurn(agent);
  }

  private endTurn(agent: string): void {
    const turn = this.turns.get(agent);
    this.turns.delete(agent);
    // The usage of a streamed answer is not final.
    const message = membersWithout(turn?.message, 'usage', 'stop_reason', 'stop_sequence');
    turn?.span.succeed({ ...message, content: turn.content });
  }

  /** @param output what the tool returned in the process, if the message has one result */
  private endTools(content: unknown, output: unknown): void {
    const results = toList(content)
      .map(toMembers)
      .filter(({ type }) => type === 'tool_result');
    for (const { tool_use_id, content: result, is_error } of results) {
      const tool = this.tools.get(String(tool_use_id));
      this.tools.delete(String(tool_use_id));
      this.endTurn(String(tool_use_id));
      if (is_error === true) tool?.addContext({ isError: true });
      tool?.succeed(results.length === 1 && output !== undefined ? output : contentText(result));
    }
  }

  /** Totals include those of earlier results. Newer versions also report the additional usage, without that of a resumed session. */
  private addUsage({ modelUsage, model_usage_since_last_result: added }: Members): void {
    for (const [model, used] of Object.entries(toMembers(added ?? modelUsage))) {
      const before = added === undefined ? {} : toMembers(this.usage.get(model));
      const sums = Object.entries(toMembers(used)).map(([name, value]) => {
        const sum = before[name];
        return [name, typeof value === 'number' && typeof sum === 'number' ? value + sum : value];
      });
      this.usage.set(model, Object.fromEntries(sums) as Members);
    }
  }

  private writeUsage(model: string, used: Members): void {
    const definition = defineSpan({ key: 'claude.model', name: model, type: 'llm' });
    const span = this.open(definition, [], NO_TOOL, this.session.startedMs);
    span?.noteUsage(readUsage(model, used));
    span?.finish('ok', undefined);
  }

  private open(
    definition: ReturnType<typeof defineSpan>,
    args: readonly unknown[],
    agent: string,
    startedMs = this.recorder.nowMs(),
  ): ActiveSpan | undefined {
    const tool = this.tools.get(agent);
    const frame = tool?.isOver === false ? tool : this.session;
    return this.recorder.open(definition, args, { frame, startedMs });
  }
}

/** The SDK counts cached tokens next to the input tokens; our usage includes them. */
function readUsage(model: string, used: Members): UsageRecord {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens, provider } = used;
  const name = typeof provider === 'string' ? provider : 'firstParty';
  return {
    model,
    provider: PROVIDERS[name] ?? name,
    input_tokens: sum(inputTokens, cacheReadInputTokens, cacheCreationInputTokens),
    ...count('output_tokens', outputTokens),
    ...count('cached_input_tokens', cacheReadInputTokens),
    ...count('cache_creation_input_tokens', cacheCreationInputTokens),
    ...count('reasoning_tokens', used['thinkingTokens']),
    ...(used['costBasis'] !== 'unknown' && count('cost_usd', used['costUSD'])),
  };
}
