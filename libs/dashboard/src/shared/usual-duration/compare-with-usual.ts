import type { UsualDuration } from '@dacapo/protocol';

/** By trace function key. */
export type UsualDurations = Readonly<Record<string, UsualDuration>>;

/** Fewer calls are not called usual. */
const FEWEST_CALLS = 20;

/** Times the median from which a call beyond the 95th percentile is slow. */
const SLOW = 2;

interface TimedCall {
  trace_function_key: string;
  duration_ms?: number | undefined;
}

/** How many times its median a slow call took. `undefined` for a usual duration, and where too few calls are known. */
export function compareWithUsual(
  { trace_function_key: key, duration_ms: durationMs }: TimedCall,
  usual: UsualDurations = {},
): number | undefined {
  const known = Object.hasOwn(usual, key) ? usual[key] : undefined;
  if (known === undefined || durationMs === undefined || known.calls < FEWEST_CALLS) return undefined;
  if (durationMs <= known.p95_ms || durationMs < SLOW * known.p50_ms) return undefined;
  return known.p50_ms > 0 ? durationMs / known.p50_ms : undefined;
}
