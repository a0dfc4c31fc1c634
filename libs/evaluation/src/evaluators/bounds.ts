import type { SpanType } from '@dacapo/protocol';
import { InvalidArgumentError } from '../errors.js';
import type { Score } from '../run/score.js';
import { type Call, type Evaluator, named, varying } from './evaluator.js';

/**
 * Passes if the call took at most `maxMs` milliseconds. Does not apply when inner calls were mocked, because their time is unknown. A
 * baseline has this score only if it ran in the same process as the candidate. `name`: default `latency`.
 */
export function latency({ maxMs, name = 'latency' }: { maxMs: number; name?: string }): Evaluator {
  checkBound('maxMs', maxMs);
  return varying(
    named(name, ({ durationMs, mocked }) =>
      mocked === true
        ? {
            score: null,
            explanation: 'An inner call was answered from the recording, so its time is unknown.',
          }
        : passOrExplain(durationMs <= maxMs, `${Math.round(durationMs)} ms; at most ${maxMs}`),
    ),
  );
}

/** Passes if input and output have at most `max` tokens together. Does not apply without usage. `name`: default `tokens`. */
export function tokens({ max, name = 'tokens' }: { max: number; name?: string }): Evaluator {
  checkBound('max', max);
  return named(name, ({ usage: { inputTokens, outputTokens } = {} }) => {
    if (inputTokens === undefined && outputTokens === undefined) return null;
    const count = (inputTokens ?? 0) + (outputTokens ?? 0);
    return passOrExplain(count <= max, `${count} tokens; at most ${max}`);
  });
}

/** Selects calls by trace function key, by other fields, or by a function. */
export type CallMatcher =
  string | { key?: string; name?: string; type?: SpanType } | ((call: Call) => boolean);

export interface CalledOptions {
  /** Default: `called <key>`, or `called`. */
  name?: string;
  /** Default: 1; 0 when there is a `max`. */
  min?: number;
  /** Default: no limit. */
  max?: number;
}

/**
 * Passes if the number of matching inner calls is within the limits: `called('guardrail')`, or at most three tool calls,
 * `called({ type: 'function' }, { max: 3 })`. `max: 0` forbids them.
 *
 * @throws InvalidArgumentError when a limit is negative or NaN
 */
export function called(matcher: CallMatcher, options: CalledOptions = {}): Evaluator {
  const { max = Infinity } = options;
  const { min = max === Infinity ? 1 : 0 } = options;
  checkBound('min', min);
  checkBound('max', max);
  const { name = typeof matcher === 'string' ? `called ${matcher}` : 'called' } = options;
  const wanted = [min > 0 && `at least ${min}`, max < Infinity && `at most ${max}`]
    .filter(Boolean)
    .join(', ');
  return named(name, ({ calls }) => {
    const count = calls().filter((call) => matchesCall(call, matcher)).length;
    return passOrExplain(count >= min && count <= max, `${count} calls; ${wanted}`);
  });
}

/**
 * Passes if calls with these keys were made in this order, with or without others between. `name`: default `called in order`.
 */
export function calledInOrder(
  keys: readonly string[],
  { name = 'called in order' }: { name?: string } = {},
): Evaluator {
  return named(name, ({ calls }) => {
    let next = 0;
    for (const { key } of calls()) if (key === keys[next]) next += 1;
    return passOrExplain(next >= keys.length, `${keys[next] ?? ''} was not called in this position`);
  });
}

function matchesCall(call: Call, matcher: CallMatcher): boolean {
  if (typeof matcher === 'string') return call.key === matcher;
  if (typeof matcher === 'function') return matcher(call);
  return (
    (matcher.key === undefined || matcher.key === call.key) &&
    (matcher.name === undefined || matcher.name === call.name) &&
    (matcher.type === undefined || matcher.type === call.type)
  );
}

function passOrExplain(isGood: boolean, explanation: string): Score | boolean {
  return isGood || { score: false, explanation };
}

function checkBound(argument: string, bound: number): void {
  if (bound >= 0) return;
  throw new InvalidArgumentError(argument, `must be a number of at least 0, not ${bound}`, 'Write a number.');
}
