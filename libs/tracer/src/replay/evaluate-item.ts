import {
  applyEvaluators,
  type Call,
  type Evaluated,
  type Evaluator,
  type EvaluatorContext,
  type EvaluatorFailedError,
} from '@dacapo/evaluation';
import { contextStorage } from '../context/context-storage.js';
import type { RecordingFrame } from '../recording/recording-frame.js';
import { EvaluatorTimeoutError } from './errors.js';
import { withTimeout } from './with-timeout.js';

export interface ItemEvaluatorsParts {
  readonly testRunId: string;
  readonly timeoutMs: number;
  /** Of the run. */
  readonly signal: AbortSignal | undefined;
}

/** An evaluator asked for the calls of an outcome of which none are known. */
class UnknownCallsError extends Error {}

/** What `calls` gives where the calls inside are not known: the score then does not count. */
export function unknownCalls(): Call[] {
  throw new UnknownCallsError('The calls inside are not known.');
}

/**
 * Asks evaluators about items. What they call is recorded as traces of the test run, and is no part of the item: it is never
 * answered from a recording, and may connect.
 */
export class ItemEvaluators {
  private readonly evaluators: ReadonlyMap<string, Evaluator>;

  constructor(
    evaluators: ReadonlyMap<string, Evaluator>,
    private readonly parts: ItemEvaluatorsParts,
  ) {
    this.evaluators = new Map(
      Array.from(evaluators, ([name, evaluator]) => [name, (context) => this.ask(name, evaluator, context)]),
    );
  }

  /** Never rejects. */
  async evaluate(context: EvaluatorContext): Promise<Evaluated> {
    const { scores, errors } = await applyEvaluators(this.evaluators, context);
    return { scores, errors: errors.filter(({ cause }) => !(cause instanceof UnknownCallsError)) };
  }

  private async ask(
    name: string,
    evaluator: Evaluator,
    context: EvaluatorContext,
  ): Promise<Awaited<ReturnType<Evaluator>>> {
    const { testRunId, timeoutMs, signal } = this.parts;
    const stop = new AbortController();
    const onAbort = (): void => {
      stop.abort(signal?.reason);
    };
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener('abort', onAbort);
    try {
      // No span has a blank key, so that none is taken for the call that is played.
      const replay = { testRunId, key: '' };
      const frame: RecordingFrame = { trace: undefined, parentId: undefined, span: undefined, replay };
      const asked = contextStorage.run(frame, async () => evaluator({ ...context, signal: stop.signal }));
      return await withTimeout(timeoutMs, asked, () => {
        const error = new EvaluatorTimeoutError(name, timeoutMs);
        stop.abort(error);
        return error;
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

/** What several evaluators failed with, as the one error of an item. */
export function failureOf([first, ...others]: readonly EvaluatorFailedError[]): unknown {
  return others.length === 0 ? first : new AggregateError([first, ...others], first?.message);
}
