import type { SpanType, UsageRecord } from '@dacapo/protocol';
import type { Usage } from '../run/run-item.js';

/** A span's place in its tree. */
export type PlacedSpan = Omit<UsageSpan, 'usage'>;

/** The fields of a span that counting usage needs. */
export interface UsageSpan {
  readonly spanId: string;
  /** Absent, or unknown, for an outermost span. */
  readonly parentId?: string | undefined;
  readonly type: SpanType;
  readonly usage?: UsageRecord | undefined;
}

/**
 * Sums the usage of the model calls in a span tree: the sum over {@link countedSpans}.
 *
 * @param spans in any order; the first one with an id counts
 * @returns only measures that some counted span has; `undefined` without any
 */
export function countUsage(spans: Iterable<UsageSpan>): Usage | undefined {
  return sumUsage(countedSpans(spans).map(({ usage = {} }) => usage));
}

/** @returns only measures that some record has; `undefined` without any */
export function sumUsage(records: readonly UsageRecord[]): Usage | undefined {
  let total: Usage | undefined;
  for (const usage of records) {
    for (const [measure, amount] of Object.entries(readUsage(usage)) as [keyof Usage, number][]) {
      (total ??= {})[measure] = (total[measure] ?? 0) + amount;
    }
  }
  return total;
}

/**
 * The model calls whose usage counts: `llm` spans with usage and without an `llm` span with usage below, at any depth. An agent's or
 * client's span around a request may repeat its usage, so only the innermost one counts.
 *
 * @param spans in any order; the first one with an id counts
 * @param hasUsage whether a span has usage. Default: some amount in `usage`
 */
export function countedSpans<S extends PlacedSpan>(
  spans: Iterable<S>,
  hasUsage: (span: S) => boolean = namesAmounts,
): S[] {
  const byId = new Map<string, S>();
  for (const span of spans) if (!byId.has(span.spanId)) byId.set(span.spanId, span);
  const used: S[] = [];
  /** Spans above a span with usage. All ancestors of a member are members too. */
  const around = new Set<S>();
  for (const span of byId.values()) {
    if (span.type !== 'llm' || !hasUsage(span)) continue;
    used.push(span);
    let above = findParent(span, byId);
    for (; above !== undefined && !around.has(above); above = findParent(above, byId)) around.add(above);
  }
  return used.filter((span) => !around.has(span));
}

/**
 * The model calls whose usage is unknown: `llm` spans without usage, without an `llm` span below, and without a span above whose usage
 * counts. Failed requests are excluded.
 *
 * @param spans in any order; the first one with an id counts
 */
export function findCallsWithoutUsage<S extends UsageSpan & { readonly hasFailed: boolean }>(
  spans: Iterable<S>,
): S[] {
  const all = [...spans];
  const byId = new Map<string, S>();
  for (const span of all) if (!byId.has(span.spanId)) byId.set(span.spanId, span);
  const counted = new Set(countedSpans(all).map(({ spanId }) => spanId));
  const covered = new Set<string>();
  const isCounted = (span: S): boolean => {
    const seen = new Set<string>();
    for (
      let above: S | undefined = span;
      above !== undefined && !seen.has(above.spanId);
      above = findParent(above, byId)
    ) {
      if (counted.has(above.spanId)) return true;
      seen.add(above.spanId);
    }
    return false;
  };
  for (const span of byId.values()) {
    if (span.type !== 'llm') continue;
    for (
      let above = findParent(span, byId);
      above !== undefined && !covered.has(above.spanId);
      above = findParent(above, byId)
    )
      covered.add(above.spanId);
  }
  return [...byId.values()].filter(
    (span) => span.type === 'llm' && !span.hasFailed && !covered.has(span.spanId) && !isCounted(span),
  );
}

function namesAmounts({ usage }: PlacedSpan & Pick<UsageSpan, 'usage'>): boolean {
  return usage !== undefined && Object.keys(readUsage(usage)).length > 0;
}

function findParent<S extends PlacedSpan>(
  { parentId }: PlacedSpan,
  byId: ReadonlyMap<string, S>,
): S | undefined {
  return parentId === undefined ? undefined : byId.get(parentId);
}

/** Recorded names of the measures (docs/usage.md); several are summed. */
const RECORDED = {
  inputTokens: ['input_tokens'],
  outputTokens: ['output_tokens'],
  cachedInputTokens: ['cached_input_tokens'],
  cacheWriteTokens: ['cache_creation_input_tokens'],
  reasoningTokens: ['reasoning_tokens'],
  audioTokens: ['input_audio_tokens', 'output_audio_tokens'],
  costUsd: ['cost_usd'],
} as const satisfies Record<keyof Usage, readonly string[]>;

const MEASURES = Object.entries(RECORDED) as [keyof Usage, readonly string[]][];

/** Reads the measures of one usage record. Ignores invalid amounts, such as negative numbers. */
export function readUsage(record: UsageRecord): Usage {
  const usage: Usage = {};
  for (const [measure, names] of MEASURES) {
    for (const name of names) {
      const amount = record[name];
      if (isAmount(amount)) usage[measure] = (usage[measure] ?? 0) + amount;
    }
  }
  return usage;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
