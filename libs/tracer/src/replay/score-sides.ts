import type { Call, EvaluatorContext, JudgedBaseline, Usage } from '@dacapo/evaluation';
import { sha256 } from '../hashing.js';
import type { Codec } from '../options/capture-options.js';
import type { BaselineScores } from './baseline-scores.js';
import { combineFailures, type ItemEvaluators, unknownFact } from './evaluate-item.js';
import { type Baseline, decodeOutcome, isWhole } from './item-baseline.js';
import type { PlannedItem } from './planned-item.js';
import type { LiveOutcome } from './replay-call.js';
import type { ReplayItem } from '../replay-types.js';

export interface SideScoresParts {
  readonly evaluators: ItemEvaluators;
  readonly baselines: BaselineScores;
  readonly codecs: readonly Codec[];
}

/** The outcome that is judged beside its baseline. */
export interface Candidate {
  readonly outcome: LiveOutcome;
  readonly calls: () => Call[];
  readonly isMocked: boolean;
  /** `undefined`: it is not known. */
  readonly durationMs: number | undefined;
  /** Whether its baseline is judged with it: of repetitions that share one, the first one's. */
  readonly scoresBaseline: boolean;
}

/** What came of asking evaluators. */
export interface ScoredSides {
  /** What evaluators failed with. */
  readonly failure?: { readonly error: unknown };
  /** Of what they saw of the baseline, where a later run may reuse its scores. */
  readonly baselineHash?: string;
}

/** Lets evaluators judge an item's new outcome and its baseline. */
export class SideScores {
  constructor(private readonly parts: SideScoresParts) {}

  /** Writes the scores of both sides into `item`. Never rejects. */
  async addTo(
    item: ReplayItem,
    planned: PlannedItem,
    candidate: Candidate,
    baseline: Baseline,
  ): Promise<ScoredSides> {
    const { evaluators, baselines, codecs } = this.parts;
    const { outcome, calls, isMocked, durationMs, scoresBaseline } = candidate;
    const { compared, earlier } = baseline;
    const known = {
      ...toKnownFacts(planned, item, codecs, compared),
      ...(earlier?.isWhole === true && { baseline: toJudgedBaseline(earlier.outcome) }),
    };
    const { verdict, divergences, usage } = item;
    const [now, before] = await Promise.all([
      evaluators.evaluate(
        createContext(known, {
          outcome,
          calls,
          usage,
          verdict,
          divergences,
          durationMs,
          ...(isMocked && { mocked: true }),
        }),
      ),
      earlier?.isWhole === true && scoresBaseline
        ? baselines.evaluate(
            createContext(known, {
              verdict: 'same',
              divergences: [],
              durationMs: item.timing === 'paired' ? earlier.durationMs : undefined,
              outcome: earlier.outcome,
              calls: earlier.calls,
              usage: earlier.usage,
            }),
            () => baselineHash(planned, baseline),
          )
        : undefined,
    ]);
    item.scores = now.scores;
    if (before !== undefined && before.scores.length > 0) item.originalScores = before.scores;
    const errors = [...now.errors, ...(before?.errors ?? [])];
    return {
      ...(errors.length > 0 && { failure: { error: combineFailures(errors) } }),
      ...(before?.hash !== undefined && { baselineHash: before.hash }),
    };
  }
}

function toJudgedBaseline(outcome: LiveOutcome): JudgedBaseline {
  return 'result' in outcome ? { output: outcome.result } : { error: outcome.error };
}

function toKnownFacts(
  { call, expected, metadata }: PlannedItem,
  item: ReplayItem,
  codecs: readonly Codec[],
  compared: Baseline['compared'],
): KnownItemFacts {
  const recorded = call && isWhole(call) ? decodeOutcome(call, codecs) : undefined;
  const original = valueIn(recorded);
  const baselineValue = compared?.kind === 'self' ? undefined : valueIn(compared?.value);
  const wanted =
    (compared?.kind === 'accepted' ? baselineValue : undefined) ??
    (expected && { value: expected.value(codecs) }) ??
    original ??
    (compared?.kind === 'test_run' ? baselineValue : undefined);
  return {
    input: item.input.length === 1 ? item.input[0] : item.input,
    args: item.input,
    ...(wanted && { expected: wanted.value }),
    ...(original && { original: original.value }),
    metadata,
  };
}

function valueIn(outcome: LiveOutcome | undefined): { readonly value: unknown } | undefined {
  return outcome !== undefined && 'result' in outcome ? { value: outcome.result } : undefined;
}

/** What evaluators know of an item, whichever of its outcomes they judge. */
type KnownItemFacts = Pick<
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

function createContext(known: KnownItemFacts, evaluated: EvaluatedOutcome): EvaluatorContext {
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

/** Part of each hash: scores of a tracer that gives evaluators anything else are not reused. */
const CONTEXT_VERSION = 1;

/**
 * Everything that evaluators see of a baseline, as it is stored, and where it comes from: scores never leave the call or the
 * example that they were given to.
 *
 * @returns `undefined` where the outcome is not a stored one
 */
export function baselineHash(
  { call, stored, expected, metadata }: PlannedItem,
  { compared, earlier }: Baseline,
): string | undefined {
  if (earlier?.stored === undefined) return undefined;
  const { trace_id, span_id, status, output, error, meta } = call ?? {};
  return sha256(
    JSON.stringify([
      CONTEXT_VERSION,
      [trace_id, span_id, stored?.id],
      [stored?.input, stored?.meta],
      [status, output, error, meta],
      [expected?.stored, compared?.kind, compared?.stored],
      [earlier.stored, earlier.usage, metadata],
    ]),
  );
}
