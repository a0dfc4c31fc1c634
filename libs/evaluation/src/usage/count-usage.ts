import type { ItemModelCalls, ItemUsage, SpanType, UsageRecord } from '@dacapo/protocol';
import type { ModelCalls, Usage } from '../run/run-item.js';

/** Where a span is in its tree. */
export type PlacedSpan = Omit<UsageSpan, 'usage'>;

/** A span as far as its usage is counted. */
export interface UsageSpan {
  readonly spanId: string;
  /** Absent, or of a span that is not among those counted: it is outermost. */
  readonly parentId?: string | undefined;
  readonly type: SpanType;
  readonly usage?: UsageRecord | undefined;
}

/**
 * What the model calls of a tree of spans used: the sum over {@link countedSpans}.
 *
 * @param spans in any order; of several with one id the first counts
 * @returns only the measures that some counted span has; `undefined` when none has any
 */
export function countUsage(spans: Iterable<UsageSpan>): Usage | undefined {
  return sumUsage(countedSpans(spans).map(({ usage = {} }) => usage));
}

/** @returns only the measures that some record has; `undefined` when none has any */
export function sumUsage(records: readonly UsageRecord[]): Usage | undefined {
  let total: Usage | undefined;
  for (const usage of records) {
    for (const [measure, amount] of Object.entries(usageOf(usage)) as [keyof Usage, number][]) {
      (total ??= {})[measure] = (total[measure] ?? 0) + amount;
    }
  }
  return total;
}

/**
 * The model calls of a tree whose usage counts: `llm` spans that have no `llm` span with usage below them, at any depth. An
 * agent's or a client's span around a request may repeat what the request used; so it counts once.
 *
 * @param spans in any order; of several with one id the first counts
 * @param hasUsage whether a span says what it used; some amount in `usage` when absent
 */
export function countedSpans<S extends PlacedSpan>(
  spans: Iterable<S>,
  hasUsage: (span: S) => boolean = namesAmounts,
): S[] {
  const byId = new Map<string, S>();
  for (const span of spans) if (!byId.has(span.spanId)) byId.set(span.spanId, span);
  const used: S[] = [];
  /** Those with an `llm` span with usage below. Whoever is here has all above it here, too. */
  const around = new Set<S>();
  for (const span of byId.values()) {
    if (span.type !== 'llm' || !hasUsage(span)) continue;
    used.push(span);
    let above = parentOf(span, byId);
    for (; above !== undefined && !around.has(above); above = parentOf(above, byId)) around.add(above);
  }
  return used.filter((span) => !around.has(span));
}

/**
 * The model calls of a tree that tell nothing of what they used, and that no other span tells of: `llm` spans without usage
 * that have no `llm` span below them, and none whose usage counts above. A request that failed is none.
 *
 * @param spans in any order; of several with one id the first counts
 */
export function untoldCalls<S extends UsageSpan & { readonly hasFailed: boolean }>(spans: Iterable<S>): S[] {
  const all = [...spans];
  const byId = new Map<string, S>();
  for (const span of all) if (!byId.has(span.spanId)) byId.set(span.spanId, span);
  const told = new Set(countedSpans(all).map(({ spanId }) => spanId));
  const covered = new Set<string>();
  const isTold = (span: S): boolean => {
    const seen = new Set<string>();
    for (
      let above: S | undefined = span;
      above !== undefined && !seen.has(above.spanId);
      above = parentOf(above, byId)
    ) {
      if (told.has(above.spanId)) return true;
      seen.add(above.spanId);
    }
    return false;
  };
  for (const span of byId.values()) {
    if (span.type !== 'llm') continue;
    for (
      let above = parentOf(span, byId);
      above !== undefined && !covered.has(above.spanId);
      above = parentOf(above, byId)
    )
      covered.add(above.spanId);
  }
  return [...byId.values()].filter(
    (span) => span.type === 'llm' && !span.hasFailed && !covered.has(span.spanId) && !isTold(span),
  );
}

function namesAmounts({ usage }: PlacedSpan & Pick<UsageSpan, 'usage'>): boolean {
  return usage !== undefined && Object.keys(usageOf(usage)).length > 0;
}

function parentOf<S extends PlacedSpan>(
  { parentId }: PlacedSpan,
  byId: ReadonlyMap<string, S>,
): S | undefined {
  return parentId === undefined ? undefined : byId.get(parentId);
}

/** The names under which measures are recorded (docs/usage.md); several add up. */
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

/** The measures of one recorded usage. What is no amount, such as a negative number, is none. */
export function usageOf(record: UsageRecord): Usage {
  const usage: Usage = {};
  for (const [measure, names] of MEASURES) {
    for (const name of names) {
      const amount = record[name];
      if (isAmount(amount)) usage[measure] = (usage[measure] ?? 0) + amount;
    }
  }
  return usage;
}

/** The measures of an item as they travel. */
const OF_ITEM = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cachedInputTokens: 'cached_input_tokens',
  cacheWriteTokens: 'cache_write_tokens',
  reasoningTokens: 'reasoning_tokens',
  audioTokens: 'audio_tokens',
  costUsd: 'cost_usd',
} as const satisfies Record<keyof Usage, keyof ItemUsage>;

export function toItemUsage(usage: Usage): ItemUsage {
  const measures = Object.entries(usage) as [keyof Usage, number][];
  return Object.fromEntries(measures.map(([measure, amount]) => [OF_ITEM[measure], amount]));
}

export function fromItemUsage(item: ItemUsage): Usage {
  const names = Object.entries(OF_ITEM) as [keyof Usage, keyof ItemUsage][];
  return Object.fromEntries(
    names.flatMap(([measure, name]) => (item[name] === undefined ? [] : [[measure, item[name]]])),
  );
}

export function toItemModelCalls({ made, inputTokens, outputTokens, costUsd }: ModelCalls): ItemModelCalls {
  return { made, input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd };
}

export function fromItemModelCalls(item: ItemModelCalls): ModelCalls {
  const { made, input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd } = item;
  return { made, inputTokens, outputTokens, costUsd };
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
