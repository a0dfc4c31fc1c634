import {
  type Author,
  formatTimestamp,
  newTraceId,
  type ScoreRecord,
  type ScoreValue,
  type TraceSummary,
} from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../shared/http/client.js';
import { targetId } from './agreement.js';
import { namedScoresQuery } from './api.js';

interface Given {
  trace: TraceSummary;
  value: ScoreValue;
  before: ScoreValue | undefined;
}

/** What a trace of the queue is scored as: its matching call, or itself. */
export function targetOf({ id, first_call: match }: TraceSummary): { trace_id: string; span_id?: string } {
  return match === undefined ? { trace_id: id } : { trace_id: id, span_id: match.id };
}

/** The scores that were given on this page, the last of which can be undone. They are sent behind, in their order. */
export function useReview(name: string, author: Author) {
  const queryClient = useQueryClient();
  const [given, setGiven] = useState<readonly Given[]>([]);
  const [failure, setFailure] = useState<Error>();
  const send = useMutation({
    scope: { id: 'review' },
    mutationFn: async ({ trace, value }: Given) => {
      const score: ScoreRecord = {
        ...targetOf(trace),
        id: newTraceId(),
        created_at: formatTimestamp(Date.now() * 1000),
        name,
        value,
        // The service replaces the author if a member is signed in.
        author,
      };
      const { rejected } = await client.scores.add({ scores: [score] });
      const [refused] = rejected;
      if (refused !== undefined) throw new Error(refused.detail);
      return score;
    },
    // Loading thousands of scores again after each one would be slow.
    onSuccess: (score) => {
      queryClient.setQueryData(namedScoresQuery(name).queryKey, (data) => {
        const [first, ...others] = data?.pages ?? [];
        if (data === undefined || first === undefined) return data;
        return { ...data, pages: [{ ...first, items: [score, ...first.items] }, ...others] };
      });
    },
    onError: (error, failed) => {
      setFailure(error);
      setGiven((all) => all.filter((one) => one !== failed));
    },
  });
  return {
    given,
    failure,
    valueOf: (trace: TraceSummary): ScoreValue | undefined =>
      given.findLast((one) => targetId(targetOf(one.trace)) === targetId(targetOf(trace)))?.value,
    score: (one: Given) => {
      setFailure(undefined);
      setGiven([...given, one]);
      send.mutate(one);
    },
    /** Scores are added only: what was there before, or a score that does not apply, follows the last one. */
    undo: (): TraceSummary | undefined => {
      const last = given.at(-1);
      if (last === undefined) return undefined;
      setFailure(undefined);
      setGiven(given.slice(0, -1));
      send.mutate({ ...last, value: last.before ?? null });
      return last.trace;
    },
  };
}
