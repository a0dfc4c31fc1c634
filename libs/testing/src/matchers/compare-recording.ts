import type { Judgement, StoredOutcome, ValueDiff } from '@dacapo/evaluation';
import type { ReplayDivergence } from '@dacapo/tracer';
import { drain } from '@dacapo/tracer/engine';
import { type CassetteTape, tapes } from '../tape/tape.js';
import type { TapedCalls } from '../tape/taped-calls.js';
import type { TapedRoot } from '../tape/taped-root.js';

export interface Comparison {
  readonly pass: boolean;
  readonly text: string;
}

/**
 * Compares the outcome and the inner calls of a call with its recording, by the rules of replays. `unknown` does not pass.
 *
 * @param received a result, a promise, a stream or a function to call; or the tape, which compares every call
 */
export async function compareRecording(received: unknown): Promise<Comparison> {
  const tape = tapes.getStore();
  if (tape === undefined)
    return fail('toMatchRecording works inside withCassette only. Move the assertion into its function.');
  tape.pending++;
  try {
    return await compareOn(tape, received);
  } finally {
    tape.pending--;
  }
}

async function compareOn(tape: CassetteTape, received: unknown): Promise<Comparison> {
  const { calls } = tape;
  const outcome = received === tape ? undefined : await settle(received);
  if (calls === undefined) return RECORDING;
  if (outcome === undefined) return compareAll(calls);
  const open = calls.roots.filter(({ isAsserted }) => !isAsserted);
  const matching = open.find((root) => root.endedWith(root.record(outcome)));
  const root = matching ?? (open.length === 1 ? open[0] : undefined);
  if (root === undefined) return fail(describeUnknownCall(open));
  root.isAsserted = true;
  return compareRoot(root, root.record(outcome));
}

/** Nothing to compare with yet. */
const RECORDING: Comparison = { pass: true, text: 'The cassette is being recorded.' };

function fail(text: string): Comparison {
  return { pass: false, text };
}

type Outcome = Awaited<ReturnType<typeof drain>> | { readonly error: unknown };

/** Waits for a result, reads a stream to its end, or calls a function. Never rejects. */
async function settle(received: unknown): Promise<Outcome> {
  let stream: Awaited<ReturnType<typeof drain>>['stream'];
  try {
    const result: unknown = typeof received === 'function' ? (received as () => unknown)() : received;
    return await drain(result, (opened) => (stream = opened));
  } catch (error) {
    return { error, ...(stream && { stream }) };
  }
}

function describeUnknownCall(open: readonly TapedRoot[]): string {
  if (open.length === 0)
    return 'No call of the cassette ended with this value, or each was compared already. Pass the result of a recorded function.';
  return `Several calls may have returned this value: ${open.map(({ key }) => key).join(', ')}. Pass the result of a recorded function as it is, or the tape to compare all calls.`;
}

function compareAll(calls: TapedCalls): Comparison {
  const texts = calls.roots.map((root) => {
    root.isAsserted = true;
    return compareRoot(root, undefined);
  });
  const unmade = calls.unmade.map(({ key }) => fail(`${key}: the recorded call was not made.`));
  const failed = [...texts, ...unmade].filter(({ pass }) => !pass);
  if (failed.length > 0) return fail(failed.map(({ text }) => text).join('\n'));
  return { pass: calls.roots.length > 0, text: texts.map(({ text }) => text).join('\n') };
}

/** @param now `undefined`: the recorded form of the call's own outcome */
function compareRoot(root: TapedRoot, now: StoredOutcome | undefined): Comparison {
  const judgement = root.judge(now);
  const divergences = root.divergences();
  const pass = judgement.verdict === 'same' && divergences.length === 0;
  const lines = [
    `${root.key}: ${describeVerdict(judgement)}${pass ? '' : '.'}`,
    ...(judgement.diff ?? []).slice(0, MOST).map(describeDiff),
    ...(divergences.length === 0 ? [] : ['  Calls inside differ from the recording:']),
    ...divergences.slice(0, MOST).map((one) => describeDivergence(root.key, one)),
  ];
  const hint =
    judgement.verdict === 'unknown'
      ? '  A masked or cut value cannot be compared. Compare the other parts: add the paths above to ignore.'
      : "  If the change is right, record the cassette again with DACAPO_CASSETTES=renew. Parts that vary belong in ignore: ['$.id'].";
  return { pass, text: [...lines, ...(pass ? [] : [hint])].join('\n') };
}

const MOST = 10;

function describeVerdict({ verdict, fixed }: Judgement): string {
  if (fixed === true) return 'it returned, but its recording failed';
  switch (verdict) {
    case 'same':
      return 'its outcome equals the recording';
    case 'changed':
      return 'its outcome differs from the recording';
    case 'error':
      return 'it failed, and its recording did not, or otherwise';
    case 'unknown':
      return 'nothing shows whether its outcome equals the recording';
  }
}

function describeDiff({ path, kind, before, now }: ValueDiff): string {
  const [was, is] = [before?.text ?? 'nothing', now?.text ?? 'nothing'];
  return `  ${path} (${kind}): recorded ${was}, now ${is}`;
}

function describeDivergence(
  key: string,
  { kind, path, newArguments, recordedArguments, reason }: ReplayDivergence,
): string {
  const place = [key, ...path].join(' > ');
  const details = [
    ...(reason === undefined ? [] : [reason]),
    ...(newArguments === undefined ? [] : [`now ${newArguments}`]),
    ...(recordedArguments === undefined ? [] : [`recorded ${recordedArguments}`]),
  ];
  return `  ${DIVERGENCES[kind]} ${place}${details.length === 0 ? '' : `: ${details.join(', ')}`}`;
}

const DIVERGENCES: Readonly<Record<ReplayDivergence['kind'], string>> = {
  missing: 'not made:',
  extra: 'not recorded:',
  changed_arguments: 'other arguments:',
  reordered: 'another order:',
  unanswerable: 'not answered:',
};
