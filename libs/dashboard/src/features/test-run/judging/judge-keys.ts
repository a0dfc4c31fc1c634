import { useMemo } from 'react';
import { type KeyRow, type KeySet, useKeySet } from '../../../shared/keys/page-keys.js';
import type { ChangeGroup } from '../groups/group-changes.js';
import type { Judge, Judgeable, Judgement } from './judge-context.js';
import { isJudged } from '../groups/judged-groups.js';

/** By the physical key: with Shift, layouts differ in what a digit types. */
const JUDGEMENTS: Readonly<Record<string, Judgement>> = {
  Digit1: 'accepted',
  Numpad1: 'accepted',
  Digit2: 'better',
  Numpad2: 'better',
  Digit3: 'worse',
  Numpad3: 'worse',
  Digit0: 'none',
  Numpad0: 'none',
};

const ROWS: readonly KeyRow[] = [
  { keys: ['1'], action: 'accept the call' },
  { keys: ['2'], action: 'better: accept it and label it' },
  { keys: ['3'], action: 'worse: it counts as changed' },
  { keys: ['0'], action: 'remove the judgement' },
  { keys: ['⇧1', '⇧2', '⇧3'], action: 'judge all calls of the group' },
  { keys: ['i'], action: 'ignore what changed in the group, in this run and later ones' },
  { keys: ['u'], action: 'undo the last decision' },
];

/** Keys that judge the focused call or its group. Without a focused row, the first group that is not judged. */
export function useJudgeKeys(judge: Judge | undefined, groups: readonly ChangeGroup[]): void {
  const keySet = useMemo<KeySet | undefined>(
    () => judge && { rows: ROWS, find: (event) => findAct(event, judge, groups) },
    [judge, groups],
  );
  useKeySet(keySet);
}

function findAct(
  event: KeyboardEvent,
  judge: Judge,
  groups: readonly ChangeGroup[],
): (() => void) | undefined {
  if (event.key === 'u') return judge.undo;
  const judgement = JUDGEMENTS[event.code];
  if (judgement === undefined && event.key !== 'i') return undefined;
  const { group, item } = findTarget(groups);
  if (item !== undefined && judgement !== undefined && !event.shiftKey)
    return () => {
      judge.judge([item], judgement);
    };
  if (group === undefined) return undefined;
  return () => {
    if (judgement === undefined) judge.ignore(group);
    else if (event.shiftKey || group.items.length === 1) judge.judge(group.items, judgement);
    else judge.say(`Press ⇧${event.code.at(-1) ?? ''} for all calls of the group, or open it.`);
  };
}

/** The focused call and its group. Without a focused row, the first group that is not judged. */
function findTarget(groups: readonly ChangeGroup[]): { group?: ChangeGroup; item?: Judgeable } {
  const focused = document.activeElement;
  const groupId = focused?.closest('[data-group]')?.getAttribute('data-group');
  const call = focused?.closest('[data-call]')?.getAttribute('data-call');
  const group =
    groupId === undefined && call === undefined
      ? groups.find(({ items }) => !items.every(isJudged))
      : groups.find(({ id }) => id === groupId);
  return { ...(group && { group }), ...(call != null && { item: JSON.parse(call) as Judgeable }) };
}

/** Moves the focus to the next group that is not judged, if the focused one is. */
export function focusNextGroup(groups: readonly ChangeGroup[]): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-group]')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const open = new Set(groups.filter(({ items }) => !items.every(isJudged)).map(({ id }) => id));
  const isOpen = (row: HTMLElement) => open.has(row.dataset['group'] ?? '');
  if (at >= 0 && rows[at] !== undefined && isOpen(rows[at])) return;
  const next = [...rows.slice(at + 1), ...rows.slice(0, Math.max(0, at))].find(isOpen);
  (
    next?.querySelector<HTMLElement>('button[data-row]') ??
    document.querySelector<HTMLElement>('[data-decision]')
  )?.focus();
}
