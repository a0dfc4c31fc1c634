import type { Condition } from './condition.js';
import { type ConditionName, type CONDITIONS, conditionsIn } from './conditions.js';

type Grouped<Kind extends 'traces' | 'spans'> = {
  [Name in ConditionName]: (typeof CONDITIONS)[Name] extends { groups: Kind } ? Name : never;
}[ConditionName];

/** A field of traces that metrics group and filter by. */
export type TraceGroup = Grouped<'traces'>;
/** A field of single spans that metrics group and filter by. */
export type SpanGroup = Grouped<'spans'>;
export type MetricsGroup = TraceGroup | SpanGroup;

const ROWS: ReadonlyMap<string, Condition> = new Map(conditionsIn('lists'));

/** The fields that metrics group and filter by, in the order of `CONDITIONS`. */
export const METRICS_GROUPS: readonly MetricsGroup[] = conditionsIn('lists')
  .map(([name]) => name)
  .filter(isMetricsGroup);

export function isMetricsGroup(name: string): name is MetricsGroup {
  return ROWS.get(name)?.groups !== undefined;
}

/** Whether groups by this field count spans. All others count traces. */
export function isSpanGroup(name: string | undefined): name is SpanGroup {
  return name !== undefined && ROWS.get(name)?.groups === 'spans';
}
