import type { JudgedItem, TestRunItemRecord } from '@dacapo/protocol';
import { createContext, useContext } from 'react';
import type { ChangeGroup } from '../groups/group-changes.js';

export type Judgement = JudgedItem['judgement'];
export type Judgeable = Pick<TestRunItemRecord, 'item_no' | 'repetition' | 'verdict' | 'judgement'>;

/** What the reader may do with the calls of a run. */
export interface Judge {
  judge: (items: readonly Judgeable[], judgement: Judgement) => void;
  /** Ignores the places that changed in a group, in this run and later ones. */
  ignore: (group: ChangeGroup) => void;
  /** Compares an ignored path again. */
  compare: (path: string) => void;
  undo: () => void;
  /** Shows a hint. */
  say: (text: string) => void;
}

/** Absent when the run cannot be decided, or the reader may not. */
export const JudgeContext = createContext<Judge | undefined>(undefined);

export function useJudge(): Judge | undefined {
  return useContext(JudgeContext);
}
