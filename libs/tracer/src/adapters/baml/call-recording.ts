import type { ActiveSpan } from '../../recording/active-span.js';
import { text } from '../readers.js';
import type { BamlCollector } from './baml-types.js';
import { type BamlCallFacts, readFunctionLog } from './function-log.js';

/** Notes one call on the span that was open at the time of the call. */
export class CallRecording {
  private startedMs: number;
  private done = false;

  constructor(
    private readonly span: ActiveSpan,
    private readonly collector: BamlCollector,
  ) {
    this.startedMs = this.recorder.nowMs();
  }

  get recorder(): ActiveSpan['start']['recorder'] {
    return this.span.start.recorder;
  }

  /** Call it when a stream is first read: it sends its request then, and durations count from there. */
  begun(): void {
    this.startedMs = this.recorder.nowMs();
  }

  elapsedMs(): number {
    return Math.round((this.recorder.nowMs() - this.startedMs) * 1000) / 1000;
  }

  /** Reads the log of the call, successful or not, and frees it. Only the first call has an effect. */
  end(timeToFirstTokenMs?: number): void {
    if (this.done) return;
    this.done = true;
    try {
      const facts = readFunctionLog(this.collector);
      if (facts !== undefined) this.note(facts, timeToFirstTokenMs);
      this.collector.clear();
    } catch (error) {
      this.recorder.failed('reading the log of a BAML call', error);
    }
  }

  private note(facts: BamlCallFacts, firstSeenMs: number | undefined): void {
    const { model, provider, inputTokens, outputTokens, cachedInputTokens, attempts } = facts;
    const { recorder, definition } = this.span.start;
    // The span is the application's: if it records something else instead of its arguments, that replaces the prompt too.
    const isPromptRecorded = definition.captureInput === true && recorder.fields.recordsInput(definition);
    if (facts.prompt !== undefined && isPromptRecorded) this.span.setPrompt(facts.prompt);
    const durationMs =
      facts.durationMs !== null && facts.durationMs > 0
        ? Math.round(facts.durationMs * 1000) / 1000
        : this.elapsedMs();
    // The runtime hands on what came only now and then: the first token may be seen after the last has come.
    const timeToFirstTokenMs = firstSeenMs === undefined ? undefined : Math.min(firstSeenMs, durationMs);
    this.span.addContext({ model, provider, inputTokens, outputTokens, durationMs });
    this.span.addContext({
      attempts,
      ...(facts.finishReason !== undefined && { finishReason: facts.finishReason }),
      ...(facts.responseModel !== undefined && { responseModel: facts.responseModel }),
      ...(cachedInputTokens !== null && { cachedInputTokens }),
      ...(timeToFirstTokenMs !== undefined && { timeToFirstTokenMs }),
    });
    this.span.noteUsage({
      ...(model !== null && { model }),
      ...text('provider', facts.apiProvider),
      ...text('response_model', facts.responseModel),
      ...(inputTokens !== null && { input_tokens: inputTokens }),
      ...(outputTokens !== null && { output_tokens: outputTokens }),
      ...(cachedInputTokens !== null && { cached_input_tokens: cachedInputTokens }),
      ...(timeToFirstTokenMs !== undefined && { time_to_first_token_ms: timeToFirstTokenMs }),
      attempts: attempts.length,
    });
  }
}
