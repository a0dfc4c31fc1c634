import type { ReplayedCall } from '../oracle/run-replays.js';

/** What a fix does to another call. `unknown` is never counted as fine. */
export type OtherCallState = 'unharmed' | 'harmed' | 'unknown';

/** Whether outcome and inner calls equal the recording. */
export function isAsRecorded(call: ReplayedCall | undefined): boolean {
  return call?.verdict === 'same' && call.divergences.length === 0 && call.error === undefined;
}

/**
 * Judges each of `count` recorded calls. A call is harmed if the base does what was recorded and the candidate does not. If neither does,
 * or the base did not run, the recording cannot show harm.
 */
export function judgeOthers(
  count: number,
  base: readonly ReplayedCall[],
  candidate: readonly ReplayedCall[],
): OtherCallState[] {
  const find = (calls: readonly ReplayedCall[], index: number): ReplayedCall | undefined =>
    calls.find((call) => call.index === index);
  return Array.from({ length: count }, (_, index) => {
    const now = find(candidate, index);
    if (isAsRecorded(now)) return 'unharmed';
    return isAsRecorded(find(base, index)) && isOtherwise(now) ? 'harmed' : 'unknown';
  });
}

/** Whether it is known to differ. A masked value cannot be compared, and a new call inside has no recorded answer. */
function isOtherwise(call: ReplayedCall | undefined): boolean {
  if (call?.divergences.some(({ kind }) => kind === 'changed_arguments') === true) return true;
  return call?.verdict !== undefined && call.verdict !== 'unknown';
}

/** Why a call is not unharmed, as a clause. */
export function describeHarm(base: ReplayedCall | undefined, now: ReplayedCall | undefined): string {
  return isAsRecorded(base)
    ? `the base does what was recorded, but with this change ${describeState(now)}`
    : `${describeState(now)}; on the base, ${describeState(base)}`;
}

/** What a call does in place of what was recorded, as a clause. */
export function describeState(call: ReplayedCall | undefined): string {
  if (call === undefined) return 'it was not replayed';
  const { verdict, error, divergences } = call;
  if (verdict === undefined) return error === undefined ? 'it does not end' : describeMiss(error.message);
  if (error !== undefined) return `it fails: ${error.name}: ${error.message}`;
  if (verdict === 'changed') return 'its output differs from the recording';
  if (verdict === 'unknown') return 'its output is masked or cut, so it cannot be compared';
  const [first] = divergences;
  return first === undefined
    ? 'it is as recorded'
    : `it makes other calls inside: ${first.kind} ${first.path.join(' > ')}`;
}

/** Without the advice for people who write tests. */
function describeMiss(message: string): string {
  const lines = message.split('\n').filter((line) => !/^\s*(If|Pass|Record|The recorded call) /.test(line));
  return lines.join('\n').replace(/^- /, '').replace(/\.$/, '');
}
