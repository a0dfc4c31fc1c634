import { formatPrompt, contentText, toMembers, toList } from '@dacapo/protocol';
import { describeFiles } from '../clients/describe-files.js';
import { readUsage } from '../openai/usage.js';
import { knownFacts, parsed, text } from '../readers.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import { errorFromText } from '../../recording/external-attributes.js';
import type { Recorder } from '../../recording/recorder.js';
import { defineSpan, type SpanDefinition } from '../../recording/span-definition.js';

const RESPONSE = defineSpan({ key: 'realtime.response', name: 'realtime.response', type: 'llm' });

/** Makes spans of the events of a session: one for each response, and one for each call of a tool until its result is sent. */
export class RealtimeSpans {
  private readonly responses = new Map<unknown, ActiveSpan>();
  private readonly tools = new Map<unknown, ActiveSpan>();
  /** What was said since the last response: texts, and transcripts of audio. */
  private questions: string[] = [];
  private model: unknown;

  constructor(
    private readonly recorder: Recorder,
    private readonly session: ActiveSpan,
    private readonly provider: string | undefined,
  ) {}

  /** An event of the server. Audio comes in events of its own, which are not read. */
  received(event: unknown): void {
    const { type, session, response, transcript, error } = toMembers(event);
    if (type === 'session.created' || type === 'session.updated')
      this.model = toMembers(session)['model'] ?? this.model;
    if (type === 'conversation.item.input_audio_transcription.completed') this.ask(transcript);
    if (type === 'response.created') this.begin(response);
    if (type === 'response.done') this.finish(response);
    const [known] = type === 'error' ? (knownFacts({ error }) ?? []) : [];
    if (known !== undefined) this.session.addContext(known);
  }

  /** An event of the application. */
  sent(event: unknown): void {
    const { type, item } = toMembers(event);
    if (type !== 'conversation.item.create') return;
    const { type: kind, call_id, output, content } = toMembers(item);
    if (kind === 'message') this.ask(contentText(content));
    if (kind !== 'function_call_output') return;
    this.tools.get(call_id)?.succeed(parsed(output));
    this.tools.delete(call_id);
  }

  /** The connection is closed. */
  end(): void {
    if (this.session.isOver) return;
    for (const span of [...this.responses.values(), ...this.tools.values()])
      span.finish('cancelled', undefined);
    this.session.succeed(undefined);
  }

  private ask(question: unknown): void {
    if (typeof question === 'string' && question !== '') this.questions.push(question);
  }

  private begin(response: unknown): ActiveSpan | undefined {
    const { fields } = this.recorder;
    const { id } = toMembers(response);
    const span = this.open(RESPONSE, [this.questions]);
    if (span === undefined) return undefined;
    this.responses.set(id, span);
    const prompt = formatPrompt(this.questions.map((questions) => ({ role: 'user', text: questions })));
    if (prompt !== undefined && fields.recordsInput(RESPONSE)) span.setPrompt(prompt);
    this.questions = [];
    return span;
  }

  private finish(response: unknown): void {
    const { id, status, status_details, output, usage, model } = toMembers(response);
    const span = this.responses.get(id) ?? this.begin(response);
    this.responses.delete(id);
    if (span === undefined) return;
    span.noteUsage({
      ...text('model', model ?? this.model),
      ...text('provider', this.provider),
      ...readUsage(usage),
    });
    const { type, reason, error } = toMembers(status_details);
    const [known] = knownFacts({ finishReason: reason ?? type ?? status, responseId: id }) ?? [];
    if (known !== undefined) span.addContext(known);
    const answer = this.recorder.fields.captureOutput(RESPONSE, describeFiles(output));
    const { message, code } = toMembers(error);
    if (status === 'incomplete') span.level ??= 'warn';
    if (status === 'failed') span.fail(errorFromText('RealtimeError', String(message ?? code)), answer);
    else span.finish(status === 'cancelled' ? 'cancelled' : 'ok', answer);
    for (const item of toList(output)) this.callTool(item);
  }

  private callTool(item: unknown): void {
    const { type, call_id, name, arguments: args } = toMembers(item);
    if (type !== 'function_call' || typeof name !== 'string') return;
    const definition = defineSpan({ key: `realtime.tool.${name}`, name, type: 'function', kind: 'tool' });
    const span = this.open(definition, [parsed(args)]);
    if (span !== undefined) this.tools.set(call_id, span);
  }

  private open(definition: SpanDefinition, args: readonly unknown[]): ActiveSpan | undefined {
    return this.recorder.open(definition, args, { frame: this.session, startedMs: this.recorder.nowMs() });
  }
}
