import type { CurrentSpan } from '../context/current-span.js';
import { NO_SPAN } from '../context/handles.js';
import { InvalidOptionError } from '../errors.js';
import { resolveOptions } from '../options/check-options.js';
import { START_SPAN_OPTIONS, type StartSpanOptions } from '../options/span-options.js';
import type { ActiveSpan } from './active-span.js';
import type { Recorder } from './recorder.js';
import { defineSpan } from './span-definition.js';

/** How the work of a {@link ManualSpan} ended. */
export interface SpanOutcome {
  /** The result of the work. */
  readonly output?: unknown;
  /** The error of the work, which sets the status to `error`. `null` and `undefined` mean success, as in Node's callbacks. */
  readonly error?: unknown;
}

/** A span that you end yourself, for work that continues in callbacks. Its methods never throw. */
export interface ManualSpan extends CurrentSpan {
  /** Runs `work` inside the span, so that its calls nest here, and returns its result. Also works after the end. */
  run<T>(work: () => T): T;
  /**
   * Ends the span: `end({ output })`, or `end({ error })`. The first call counts; later ones do nothing. A span that never ends is
   * sent as `unfinished`.
   */
  end(outcome?: SpanOutcome): void;
}

/** The result of `startSpan` if nothing is recorded. */
const UNRECORDED_SPAN: ManualSpan = Object.freeze({
  ...NO_SPAN,
  run: <T>(work: () => T): T => work(),
  end: () => undefined,
});

/** Opens a span in the current frame. Reports a blank key and invalid options, and never throws. */
export function startManualSpan(
  recorder: Recorder | undefined,
  key: string,
  options: StartSpanOptions,
): ManualSpan {
  return recorder?.guard('startSpan', () => openSpan(recorder, key, options)) ?? UNRECORDED_SPAN;
}

function openSpan(recorder: Recorder, key: string, options: StartSpanOptions): ManualSpan | undefined {
  if (typeof key !== 'string' || key.trim() === '') {
    const problem = 'must be a string that is not blank';
    throw new InvalidOptionError(
      'traceFunctionKey',
      problem,
      "Pass a name for the work, such as 'support.answer'.",
    );
  }
  const { name, input, ...kinds } =
    recorder.guard('startSpan', () => resolveOptions('', START_SPAN_OPTIONS, options)) ?? NO_OPTIONS;
  const label = name === undefined || name.trim() === '' ? key : name;
  const span = recorder.open(defineSpan({ ...kinds, key, name: label }), input ?? []);
  return span && createManualSpan(span);
}

const NO_OPTIONS: StartSpanOptions = {};

/** The handle of an open span. */
function createManualSpan(span: ActiveSpan): ManualSpan {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    addContext: (context) => {
      span.addContext(context);
    },
    setPrompt: (prompt) => {
      span.setPrompt(prompt);
    },
    setLevel: (level) => {
      span.setLevel(level);
    },
    addUsage: (usage) => {
      span.addUsage(usage);
    },
    score: (...options) => {
      span.score(...options);
    },
    run: (work) => span.run(work),
    end: (outcome) => {
      endSpan(span, outcome);
    },
  };
}

/** Ends the span even if a getter of the outcome throws. */
function endSpan(span: ActiveSpan, outcome: unknown): void {
  const { recorder, definition } = span.start;
  if (span.isOver) return;
  if (typeof outcome !== 'object' && outcome !== undefined) recorder.refuseNote('end', outcome);
  const { output, error } = recorder.guard('reading the outcome of a span', () => readOutcome(outcome)) ?? {};
  if (error === undefined || error === null) span.succeed(output);
  else span.fail(error, recorder.fields.captureOutput(definition, output));
}

function readOutcome(outcome: unknown): SpanOutcome {
  if (typeof outcome !== 'object' || outcome === null) return {};
  const { output, error } = outcome as SpanOutcome;
  return { output, error };
}
