import { type ByteString, encodeJson } from '../byte-string.js';
import { Captured } from '../capture/captured.js';
import type { Capturer } from '../capture/capturer.js';
import type { JsonLike } from '../context/current-span.js';
import { answeredAtOnce } from '../diagnostics/answer-at-once.js';
import type { SpanDefinition } from './span-definition.js';

/** Captures the fields of spans and traces according to their definitions and the options. Never throws. */
export class FieldCapture {
  constructor(
    readonly capturer: Capturer,
    private readonly failed: (doing: string, cause: unknown) => void,
  ) {}

  /** Whether the arguments of such a call are recorded, and with them its prompt, tools and settings. */
  recordsInput({ captureInput }: Pick<SpanDefinition, 'captureInput'>): boolean {
    return captureInput !== false && this.capturesInput;
  }

  /** Whether the result of such a call is recorded. */
  recordsOutput({ captureOutput }: Pick<SpanDefinition, 'captureOutput'>): boolean {
    return captureOutput !== false && this.capturesOutput;
  }

  /** Whether the options allow recording arguments. */
  get capturesInput(): boolean {
    return this.capturer.options.input;
  }

  /** Whether the options allow recording results. */
  get capturesOutput(): boolean {
    return this.capturer.options.output;
  }

  capture(value: unknown): Captured | undefined {
    try {
      return this.capturer.capture(value);
    } catch (error) {
      this.failed('capturing a value', error);
      return undefined;
    }
  }

  /** Captures a text. If a `redact` hook returns another type, its text is used. */
  captureText(text: string): Captured | undefined {
    const captured = this.capture(text);
    if (captured === undefined || captured.utf8.startsWith('"')) return captured;
    return new Captured(encodeJson(captured.json), { redacted: [''] }, false);
  }

  /** `undefined` if it is not an object. */
  captureObject(note: unknown, refersToMedia = true): Captured | undefined {
    if (typeof note !== 'object' || note === null) return undefined;
    try {
      return this.capturer.captureObject(note, refersToMedia);
    } catch (error) {
      this.failed('capturing an object', error);
      return undefined;
    }
  }

  /** The object's entries, each as JSON. */
  captureEntries(note: JsonLike): [key: string, json: string][] {
    const captured = this.captureObject(note, false);
    if (captured === undefined) return [];
    const entries = Object.entries(JSON.parse(captured.json) as Record<string, unknown>);
    return entries.map(([key, value]) => [key, JSON.stringify(value)]);
  }

  captureInput(
    { captureInput, recordedArguments }: SpanDefinition,
    callArguments: readonly unknown[],
  ): Captured | undefined {
    const { capturer } = this;
    if (captureInput === false || !this.capturesInput) return undefined;
    const args =
      recordedArguments === undefined ? callArguments : this.recorded(callArguments, recordedArguments);
    if (captureInput === true) return args.length === 0 ? undefined : capturer.captureArguments(args);
    try {
      const answer = captureInput([...args]);
      // A promise that was an argument is the application's, and is left alone.
      const mapped = args.includes(answer) ? answer : answeredAtOnce('captureInput', answer);
      const captured = capturer.captureArguments(Array.isArray(mapped) ? mapped : [mapped]);
      return new Captured(captured.utf8, captured.meta, false);
    } catch (error) {
      this.failed('capturing an input', error);
      return undefined;
    }
  }

  private recorded(
    args: readonly unknown[],
    recordedArguments: NonNullable<SpanDefinition['recordedArguments']>,
  ): readonly unknown[] {
    try {
      const recorded: unknown = recordedArguments(args);
      return Array.isArray(recorded) ? recorded : args;
    } catch (error) {
      this.failed('choosing the arguments to record', error);
      return args;
    }
  }

  captureOutput(
    { captureOutput }: Pick<SpanDefinition, 'captureOutput'>,
    output: unknown,
  ): Captured | undefined {
    if (output === undefined || captureOutput === false || !this.capturesOutput) return undefined;
    try {
      return this.capturer.capture(
        captureOutput === true ? output : answeredAtOnce('captureOutput', captureOutput(output)),
      );
    } catch (error) {
      this.failed('capturing an output', error);
      return undefined;
    }
  }

  captureError(definition: SpanDefinition, error: unknown): ByteString | undefined {
    try {
      return this.capturer.captureError(
        error,
        this.recordsInput(definition) && this.recordsOutput(definition),
      );
    } catch (failure) {
      this.failed('capturing an error', failure);
      return undefined;
    }
  }
}
