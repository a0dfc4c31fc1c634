import type { RecordedCall } from '@dacapo/protocol';
import type { ReplayDivergence } from '../../replay-types.js';
import { areAlike } from './call-arguments.js';
import type { MadeCall } from './made-call.js';
import { nearest } from './nearest-text.js';
import type { RecordedNode, RecordedTree } from './recorded-tree.js';
import { findReordered } from './find-reordered.js';
import { readTimes } from './recorded-times.js';
import { shorten, shortenBoth } from './shorten.js';

const LONGEST_ARGUMENTS = 1000;

/**
 * How the calls of the replay differ from the recorded ones.
 *
 * Nothing is compared below a call that was answered or has no counterpart: the difference is that call. Calls of another
 * service are not missing: they run there, and are not observed here. Neither are calls that started after their parent's end: a
 * replay does not wait for them.
 */
export function findDivergences(
  replayed: RecordedCall,
  recorded: RecordedTree,
  made: readonly MadeCall[],
): ReplayDivergence[] {
  const ran = new Map<RecordedNode, MadeCall>();
  for (const call of made) {
    if (call.source !== undefined && !call.isMocked) ran.set(call.source, call);
  }
  const unmade = new Set(
    recorded.nodes.filter((node) => !node.isTaken && node.parent !== undefined && ran.has(node.parent)),
  );
  const divergences: ReplayDivergence[] = [];
  for (const call of made) {
    if (call.unanswerable !== undefined) divergences.push(unanswerable(call, call.unanswerable));
    if (call.hasOtherArguments && call.source !== undefined)
      divergences.push(changedArguments(call, call.source));
    if (isWithoutSource(call)) divergences.push(withoutSource(call, unmade));
  }
  for (const call of [...findReordered(made, recorded), ...made.filter(isBelowAnother)])
    divergences.push({ kind: 'reordered', ...toPlace(call) });
  for (const node of unmade) {
    if (node.call?.meta?.remote_parent === true || isLeftBehind(node, replayed)) continue;
    divergences.push({
      kind: 'missing',
      path: [...node.path],
      ...(node.call && { sourceSpanId: node.call.span_id }),
      ...(node.args && { recordedArguments: shorten(node.args.text, LONGEST_ARGUMENTS) }),
    });
  }
  return divergences;
}

/** Calls in another service, or after the end of their parent: a replay does not observe them or their inner calls. */
export function isOutOfSight(node: RecordedNode, replayed: RecordedCall): boolean {
  const { call, parent } = node;
  if (call?.meta?.remote_parent === true || isLeftBehind(node, replayed)) return true;
  return parent !== undefined && isOutOfSight(parent, replayed);
}

function isLeftBehind({ call, parent }: RecordedNode, replayed: RecordedCall): boolean {
  return call !== undefined && readTimes(call).startUs >= readTimes(parent?.call ?? replayed).endUs;
}

function unanswerable(call: MadeCall, reason: string): ReplayDivergence {
  return { kind: 'unanswerable', ...toPlace(call), reason };
}

/** A call without a recording has no counterpart; if it should have been answered, that is a divergence. */
function isWithoutSource({ source, parent, isUnseen, isMocked }: MadeCall): boolean {
  return source === undefined && parent?.source !== undefined && (!isUnseen || isMocked);
}

/** It was recorded under another parent. Calls with equal arguments cannot be distinguished. */
function isBelowAnother({ source, parent }: MadeCall): boolean {
  let [before, now] = [source?.parent, parent?.source];
  while (before !== undefined && now !== undefined && before !== now) {
    if (!areAlike(before.args, now.args)) return true;
    [before, now] = [before.parent, now.parent];
  }
  return false;
}

/** A recorded call in the same place that did not run is the same call with other arguments. */
function withoutSource(call: MadeCall, unmade: Set<RecordedNode>): ReplayDivergence {
  const text = call.args?.text ?? '';
  const alike = [...unmade].filter(
    ({ path, parent }) => parent === call.parent?.source && path.at(-1) === call.path.at(-1),
  );
  const source =
    alike[
      nearest(
        text,
        alike.map(({ args }) => args?.text ?? ''),
      )
    ];
  if (source === undefined) return { kind: 'extra', ...asMade(call) };
  unmade.delete(source);
  return changedArguments(call, source);
}

function changedArguments(call: MadeCall, source: RecordedNode): ReplayDivergence {
  const [now, before] = shortenBoth(
    call.args?.text ?? '',
    source.args?.text ?? call.args?.text ?? '',
    LONGEST_ARGUMENTS,
  );
  return {
    kind: 'changed_arguments',
    ...asMade(call),
    ...(call.args && { newArguments: now }),
    ...(source.call && { sourceSpanId: source.call.span_id }),
    ...(source.args && { recordedArguments: before }),
  };
}

function asMade({
  path,
  spanId,
  args,
}: MadeCall): Pick<ReplayDivergence, 'path' | 'spanId' | 'newArguments'> {
  return {
    path: [...path],
    spanId,
    ...(args && { newArguments: shorten(args.text, LONGEST_ARGUMENTS) }),
  };
}

function toPlace(call: MadeCall): Pick<ReplayDivergence, 'path' | 'spanId' | 'sourceSpanId'> {
  const source = call.source?.call;
  return {
    path: [...call.path],
    spanId: call.spanId,
    ...(source && { sourceSpanId: source.span_id }),
  };
}
