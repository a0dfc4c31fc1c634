import type { DecideRequest } from '@dacapo/protocol';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../../shared/http/client.js';
import { ITEM_KEY, runQuery } from '../../../shared/test-run/queries.js';
import { itemsKey } from '../api/test-run-items.js';
import { changesKey, isPartJudged } from '../groups/changes-query.js';
import type { DifferingItems } from '../groups/differing-items.js';
import { applyJudgements } from '../groups/judged-groups.js';

const SHOWN_DECISIONS = 100;

/** People's decisions on a run, newest first. */
export const decisionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['decisions', id],
    queryFn: ({ signal }) => client.decisions.list({ id, limit: SHOWN_DECISIONS }, { signal }),
  });

export type DecisionChange = Pick<DecideRequest, 'judgements' | 'ignore' | 'compare'>;

/** A change, with what the page says when it is done and what takes it back. */
export interface Act {
  change: DecisionChange;
  text: string;
  inverse?: DecisionChange;
}

type Decided = Awaited<ReturnType<typeof client.decisions.decide>>;

/** Sends decisions one after the other, and shows what each changed. Another person's decision in between is an error. */
export function useDecide(id: string, onDone: (act: Act, answer: Decided) => void) {
  const cache = useQueryClient();
  const { queryKey } = runQuery(id);
  return useMutation({
    scope: { id: `decide ${id}` },
    mutationFn: ({ change }: Act) =>
      client.decisions.decide({ id, after: cache.getQueryData(queryKey)?.decision?.no ?? 0, ...change }),
    onSuccess: (answer, act) => {
      const { no, passed, author, decided_at } = answer.decision;
      cache.setQueryData(
        queryKey,
        (run) => run && { ...run, passed, decision: { no, passed, author, decided_at } },
      );
      cache.setQueryData(decisionsQuery(id).queryKey, (page) => ({
        ...page,
        items: [answer.decision, ...(page?.items ?? [])],
      }));
      const refused = new Set(
        answer.refused?.map(({ item_no, repetition = 0 }) => `${item_no}/${repetition}`),
      );
      const judgements = act.change.judgements?.filter(
        ({ item_no, repetition = 0 }) => !refused.has(`${item_no}/${repetition}`),
      );
      cache.setQueriesData<DifferingItems>(
        { queryKey: changesKey(id) },
        (found) => found && { ...found, items: applyJudgements(found.items, judgements ?? []) },
      );
      onDone(act, answer);
    },
    onSettled: (_, error, { change }) => {
      const shown = cache.getQueriesData<DifferingItems>({ queryKey: changesKey(id) });
      const needsOthers =
        error !== null ||
        change.ignore !== undefined ||
        change.compare !== undefined ||
        shown.some(([, found]) => found !== undefined && isPartJudged(found));
      const keys = [
        itemsKey(id),
        [ITEM_KEY, id],
        ...(needsOthers ? [changesKey(id)] : []),
        ...(error === null ? [] : [queryKey, decisionsQuery(id).queryKey]),
      ];
      return Promise.all(keys.map((key) => cache.invalidateQueries({ queryKey: key })));
    },
  });
}
