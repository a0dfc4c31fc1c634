import type { Call, EvaluatorContext, EvaluatedBaseline, Usage } from '@dacapo/evaluation';
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

/** The outcome that is judged against its baseline. */
export interface Candidate {
  readonly outcome: LiveOutcome;
  readonly calls: () => Call[];
  readonly isMocked: boolean;
  /** `undefined` if unknown. */
  readonly durationMs: number | undefined;
  /** Whether its baseline is scored too: of repetitions that share one, only once. */
  readonly scoresBaseline: boolean;
}

/** The results of evaluators. */
export interface ScoredSides {
  /** The error of evaluators. */
  readonly failure?: { readonly error: unknown };
  /** Hash of their inputs for the baseline, if a later run may reuse its scores. */
  readonly baselineHash?: string;
}

/** Scores an item's new outcome and its baseline. */
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

function toJudgedBaseline(outcome: LiveOutcome): EvaluatedBaseline {
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

/** Facts of an item for evaluators, the same for both outcomes. */
type KnownItemFacts = Pick<
  EvaluatorContext,
  'input' | 'args' | 'expected' | 'original' | 'baseline' | 'metadata'
>;

/** Facts of the outcome for evaluators. */
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
  // Not enumerable, so that copying the context does not read it.
  const duration = durationMs === undefined ? { get: unknownFact } : { value: durationMs, enumerable: true };
  return Object.defineProperty(context, 'durationMs', duration) as EvaluatorContext;
}

/** Part of each hash, so that scores of a tracer that passes other inputs to evaluators are not reused. */
const CONTEXT_VERSION = 1;

/**
 * All stored inputs of evaluators for a baseline, and its origin: scores never apply to another call or
 * example.
 *
 * @returns `undefined` if the outcome is not stored
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
