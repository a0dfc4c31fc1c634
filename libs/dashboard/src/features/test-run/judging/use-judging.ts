import { mayDecide, type TestRunRecord } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accountQuery } from '../../../shared/account/account-query.js';
import { formatQuantity } from '../../../shared/format/format-count.js';
import type { RunFigures } from '../decision/read-summary.js';
import { type Act, type DecisionChange, useDecide } from './decisions.js';
import type { Judge, Judgeable, Judgement } from './judge-context.js';
import { ignorablePaths } from '../groups/judged-groups.js';

export interface Judging {
  /** Absent when the run cannot be decided, or the reader may not. */
  judge?: Judge;
  /** What the last decision did, or a hint. */
  text: string;
  canUndo: boolean;
  error: Error | null;
}

interface Shown {
  text: string;
  inverse?: DecisionChange | undefined;
}

/** Judges calls and ignores places. Each act is a decision, so the service evaluates the gate at once. */
export function useJudging(run: TestRunRecord, figures: RunFigures | undefined): Judging {
  const account = useQuery(accountQuery).data;
  const [shown, setShown] = useState<Shown>({ text: '' });
  const { mutate, error } = useDecide(run.id, ({ text, inverse }, { refused = [] }) => {
    const [first] = refused;
    const left =
      first === undefined ? '' : ` Skipped ${formatQuantity(refused.length, 'call')}: ${first.detail}`;
    setShown({ text: text + left, inverse });
  });
  const isDecidable = run.status === 'finished' && figures?.gate !== undefined && figures.checks.length > 0;
  if (!isDecidable || !account || !mayDecide(account)) return { text: '', canUndo: false, error: null };
  const send = (act: Act) => {
    mutate(act);
  };
  return {
    error,
    text: shown.text,
    canUndo: shown.inverse !== undefined,
    judge: {
      say: (text) => {
        setShown({ text });
      },
      undo: () => {
        if (shown.inverse === undefined) return;
        setShown({ text: '' });
        send({ change: shown.inverse, text: 'Undone.' });
      },
      judge: (items, judgement) => {
        const judged = items.filter((item) => (item.judgement ?? 'none') !== judgement);
        if (judged.length === 0) return;
        send({
          change: { judgements: toJudgements(judged, () => judgement) },
          text: describeJudgement(judged.length, judgement),
          inverse: { judgements: toJudgements(judged, (item) => item.judgement ?? 'none') },
        });
      },
      ignore: (group) => {
        const paths = ignorablePaths(group);
        if (paths === undefined) {
          setShown({ text: 'Only a place inside an output can be ignored.' });
          return;
        }
        const text = `Ignored ${paths.join(', ')} in this run and later ones.`;
        send({ change: { ignore: paths }, text, inverse: { compare: paths } });
      },
      compare: (path) => {
        send({
          change: { compare: [path] },
          text: `${path} is compared again in this run and later ones.`,
          inverse: { ignore: [path] },
        });
      },
    },
  };
}

function toJudgements(items: readonly Judgeable[], choose: (item: Judgeable) => Judgement) {
  return items.map((item) => ({
    item_no: item.item_no,
    repetition: item.repetition ?? 0,
    verdict: item.verdict,
    judgement: choose(item),
  }));
}

function describeJudgement(count: number, judgement: Judgement): string {
  const calls = formatQuantity(count, 'call');
  if (judgement === 'none') return `Cleared ${calls}.`;
  return judgement === 'accepted' ? `Accepted ${calls}.` : `Marked ${calls} as ${judgement}.`;
}
