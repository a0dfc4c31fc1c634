import { CLIENT_ANSWERS } from '../adapters/client-answers.js';
import {
  applyEvaluators,
  type Evaluated,
  type Evaluator,
  type EvaluatorContext,
  type EvaluatorFailedError,
  isVarying,
} from '@dacapo/evaluation';
import { contextStorage } from '../context/context-storage.js';
import { sha256 } from '../hashing.js';
import type { ResolvedRunOptions } from '../options/run-options.js';
import type { RecordingFrame } from '../recording/recording-frame.js';
import type { OpenedCall, ReplayedCalls } from '../recording/replay-scope.js';
import { EvaluatorTimeoutError } from './errors.js';
import { withTimeout } from './with-timeout.js';

export interface ItemEvaluatorsParts extends Pick<ResolvedRunOptions, 'timeoutMs' | 'signal'> {
  readonly testRunId: string;
}

/** An evaluator read something that is unknown about an outcome. */
class UnknownFactError extends Error {}

/** Replaces unknown facts of an earlier outcome: the score of an evaluator that reads them does not count. */
export function unknownFact(): never {
  throw new UnknownFactError('The earlier outcome does not have this information.');
}

/**
 * Runs evaluators on items. Their calls are recorded as traces of the test run and are not part of the item: they are never
 * answered from a recording, and may connect.
 */
export class ItemEvaluators {
  /** Whether one of them called a model, or is marked as varying. One with a version may have called a model in an earlier run. */
  mayVary: boolean;
  /** Hashes of versions, for evaluators that have one. */
  readonly versions: ReadonlyMap<string, string>;
  /** Running evaluators. They share one listener, because Node warns about more than ten on one signal. */
  private readonly running = new Set<AbortController>();

  constructor(
    private readonly evaluators: ReadonlyMap<string, Evaluator>,
    private readonly parts: ItemEvaluatorsParts,
  ) {
    this.versions = new Map(
      Array.from(evaluators).flatMap(([name, { version }]) =>
        version === undefined ? [] : [[name, sha256(version)]],
      ),
    );
    this.mayVary = this.versions.size > 0 || [...evaluators.values()].some(isVarying);
  }

  /**
   * Never rejects.
   *
   * @param isSelected which evaluators run, by name. Default: all
   * @returns `answered`: those that neither threw nor read unknown facts
   */
  async evaluate(
    context: EvaluatorContext,
    isSelected: (name: string) => boolean = () => true,
  ): Promise<Evaluated & { answered: ReadonlySet<string> }> {
    const answered = new Set<string>();
    const running = new Map<string, Evaluator>();
    for (const [name, evaluator] of this.evaluators) {
      if (!isSelected(name)) continue;
      running.set(name, async (known) => {
        const answer = await this.ask(name, evaluator, known);
        answered.add(name);
        return answer;
      });
    }
    const { scores, errors } = await applyEvaluators(running, context);
    return { scores, errors: errors.filter(({ cause }) => !(cause instanceof UnknownFactError)), answered };
  }

  private async ask(
    name: string,
    evaluator: Evaluator,
    context: EvaluatorContext,
  ): Promise<Awaited<ReturnType<Evaluator>>> {
    const { testRunId, timeoutMs } = this.parts;
    const stop = this.startAsking();
    try {
      // No span has a blank key, so none is mistaken for the replayed call.
      const calls = watchCalls(({ start }) => {
        this.mayVary ||= start.definition.type === 'llm';
      });
      const replay = { testRunId, key: '', calls };
      const frame: RecordingFrame = { trace: undefined, parentId: undefined, span: undefined, replay };
      const running = contextStorage.run(frame, async () => evaluator(withSignal(context, stop.signal)));
      return await withTimeout(timeoutMs, running, () => {
        const error = new EvaluatorTimeoutError(name, timeoutMs);
        stop.abort(error);
        return error;
      });
    } finally {
      this.running.delete(stop);
      if (this.running.size === 0) this.parts.signal?.removeEventListener('abort', this.stopAll);
    }
  }

  private startAsking(): AbortController {
    const { signal } = this.parts;
    const stop = new AbortController();
    if (signal?.aborted === true) stop.abort(signal.reason);
    else if (this.running.size === 0) signal?.addEventListener('abort', this.stopAll);
    this.running.add(stop);
    return stop;
  }

  private readonly stopAll = (): void => {
    for (const stop of this.running) stop.abort(this.parts.signal?.reason);
  };
}

/** Runs every call, and reports it. */
function watchCalls(opened: (call: OpenedCall) => void): ReplayedCalls {
  return {
    opened,
    chooseFunction: (_call, fn) => fn,
    written: () => undefined,
    ended: () => undefined,
    denyConnection: () => undefined,
    clockOffsetMs: () => 0,
    unanswerable: (_call, reason) => new Error(reason),
    clientAnswers: CLIENT_ANSWERS,
    unrecorded: (_definition, fn) => fn,
  };
}

/** Properties that are not enumerable stay so. */
function withSignal(context: EvaluatorContext, signal: AbortSignal): EvaluatorContext {
  const facts = Object.getOwnPropertyDescriptors(context);
  return Object.defineProperties({ signal }, facts) as EvaluatorContext;
}

/** The errors of several evaluators, as one error of an item. */
export function combineFailures([first, ...others]: readonly EvaluatorFailedError[]): unknown {
  return others.length === 0 ? first : new AggregateError([first, ...others], first?.message);
}
