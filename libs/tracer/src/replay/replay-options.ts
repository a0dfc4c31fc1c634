import { isTraceId } from '@dacapo/protocol';
import { InvalidOptionError } from '../errors.js';
import { refuseUnknownOptions } from '../option-names.js';
import { describe, LONGEST_TIMER_MS } from '../option-values.js';
import type { ReplayMock, ReplayOptions } from './replay-result.js';

export interface ResolvedReplayOptions {
  readonly limit: number;
  readonly traceIds: readonly string[] | undefined;
  readonly maxConcurrency: number;
  readonly name: string | undefined;
  readonly mock: ReplayMock;
  readonly onMockMiss: 'fail' | 'run';
  readonly timeoutMs: number;
}

const NAMES = {
  limit: true,
  traceIds: true,
  maxConcurrency: true,
  name: true,
  mock: true,
  onMockMiss: true,
  timeoutMs: true,
} satisfies Record<keyof ReplayOptions, true>;

/** @throws InvalidOptionError naming the first option that cannot work. */
export function resolveReplayOptions(options: ReplayOptions): ResolvedReplayOptions {
  refuseUnknownOptions('replay.', options, Object.keys(NAMES));
  return {
    limit: wholeNumber('limit', options.limit ?? Number.MAX_SAFE_INTEGER, 0),
    traceIds: idsOf(options.traceIds),
    maxConcurrency: wholeNumber('maxConcurrency', options.maxConcurrency ?? 10, 1),
    name: options.name,
    mock: oneOf('mock', options.mock ?? 'none', ['none', 'marked', 'all']),
    onMockMiss: oneOf('onMockMiss', options.onMockMiss ?? 'fail', ['fail', 'run']),
    timeoutMs: wholeNumber('timeoutMs', options.timeoutMs ?? 120_000, 1, LONGEST_TIMER_MS),
  };
}

function wholeNumber(option: string, value: number, least: number, most = Infinity): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  const bounds = most === Infinity ? `from ${least} up` : `from ${least} to ${most}`;
  throw new InvalidOptionError(
    `replay.${option}`,
    `must be a whole number ${bounds}, not ${String(value)}`,
    'Leave it out for the default.',
  );
}

function idsOf(traceIds: unknown): readonly string[] | undefined {
  const isId = (id: unknown): id is string => typeof id === 'string' && isTraceId(id);
  if (traceIds === undefined || (Array.isArray(traceIds) && traceIds.every(isId))) return traceIds;
  const wrong: unknown = Array.isArray(traceIds) ? traceIds.find((id) => !isId(id)) : traceIds;
  throw new InvalidOptionError(
    'replay.traceIds',
    `must be a list of trace ids, UUIDs in lower case, not ${describe(wrong)}`,
    'Write it like [traceId], or leave it out for all traces.',
  );
}

function oneOf<T extends string>(option: string, value: T, allowed: readonly T[]): T {
  if (allowed.includes(value)) return value;
  throw new InvalidOptionError(
    `replay.${option}`,
    `is unknown: ${JSON.stringify(value)}`,
    `Use one of ${allowed.join(', ')}.`,
  );
}
