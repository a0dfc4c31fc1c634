import type { JudgedItem, TestRunItemRecord } from '@dacapo/protocol';
import type { ChangeGroup } from './group-changes.js';

/** Whether a decision counts the call differently, or a person confirmed it. */
export function isJudged({ judgement, ignored }: Pick<TestRunItemRecord, 'judgement' | 'ignored'>): boolean {
  return judgement !== undefined || ignored === true;
}

/** `accepted` when all calls of a group are, `2 of 9 judged` when some are; `undefined` when none is. */
export function describeJudged({ items }: Pick<ChangeGroup, 'items'>): string | undefined {
  const states = new Set(items.map(({ judgement, ignored }) => judgement ?? (ignored ? 'ignored' : '')));
  const [state = ''] = states;
  if (states.size === 1) return state === '' ? undefined : state;
  return `${items.filter(isJudged).length} of ${items.length} judged`;
}

/** The places of a group as paths that a decision can ignore; `undefined` if one of them cannot be ignored. */
export function ignorablePaths({ changes }: Pick<ChangeGroup, 'changes'>): string[] | undefined {
  const paths = changes.map(({ path }) => path.replaceAll('[]', '[*]'));
  return paths.length > 0 && paths.every((path) => path !== '$' && !path.endsWith('[*]')) ? paths : undefined;
}

/** The items after a decision. */
export function applyJudgements(
  items: readonly TestRunItemRecord[],
  judgements: readonly JudgedItem[],
): TestRunItemRecord[] {
  const byKey = new Map(
    judgements.map(({ item_no, repetition = 0, judgement }) => [`${item_no}/${repetition}`, judgement]),
  );
  return items.map((item) => {
    const judgement = byKey.get(`${item.item_no}/${item.repetition ?? 0}`);
    if (judgement === undefined) return item;
    const changed = { ...item };
    delete changed.judgement;
    return judgement === 'none' ? changed : { ...changed, judgement };
  });
}
