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
 * How the calls that were made differ from those that were recorded.
 *
 * Below a call that was answered, or that has no counterpart, nothing is compared: the difference is that call. What another
 * service did is not missing: it is made there, and not seen here. Nor is what began when the call around it had ended: a
 * replay does not wait for it.
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

/** What is made in another service, or after the call around it had ended: a replay does not see it, nor what is inside. */
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

/** What is made where nothing is recorded has no counterpart; if it was to be answered from one, that is told. */
function isWithoutSource({ source, parent, isUnseen, isMocked }: MadeCall): boolean {
  return source === undefined && parent?.source !== undefined && (!isUnseen || isMocked);
}

/** It was recorded below another call than it is made in. Calls with equal arguments are told apart by nothing. */
function isBelowAnother({ source, parent }: MadeCall): boolean {
  let [before, now] = [source?.parent, parent?.source];
  while (before !== undefined && now !== undefined && before !== now) {
    if (!areAlike(before.args, now.args)) return true;
    [before, now] = [before.parent, now.parent];
  }
  return false;
}

/** A call that was recorded at the same place and not made is the same call with other arguments. */
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
