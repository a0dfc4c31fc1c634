import type { Call, EvaluatorContext, Usage } from '@dacapo/evaluation';
import { unknownFact } from './evaluate-item.js';
import type { LiveOutcome } from './replay-call.js';

/** What evaluators know of an item, whichever of its outcomes they judge. */
export type KnownItemFacts = Pick<
  EvaluatorContext,
  'input' | 'args' | 'expected' | 'original' | 'baseline' | 'metadata'
>;

/** What they know of the outcome. */
interface EvaluatedOutcome extends Pick<EvaluatorContext, 'verdict' | 'divergences' | 'mocked'> {
  readonly durationMs: number | undefined;
  readonly outcome: LiveOutcome;
  readonly calls: () => Call[];
  readonly usage: Usage | undefined;
}

export function createContext(known: KnownItemFacts, evaluated: EvaluatedOutcome): EvaluatorContext {
  const { outcome, calls, usage, durationMs, ...facts } = evaluated;
  const context = {
    ...known,
    ...facts,
    output: 'result' in outcome ? outcome.result : undefined,
    ...('error' in outcome && { error: outcome.error }),
    ...(usage && { usage }),
    calls: (key?: string) => (key === undefined ? calls() : calls().filter((call) => call.key === key)),
  };
  // Not enumerable, so that who copies the context has not asked for it.
  const duration = durationMs === undefined ? { get: unknownFact } : { value: durationMs, enumerable: true };
  return Object.defineProperty(context, 'durationMs', duration) as EvaluatorContext;
}
