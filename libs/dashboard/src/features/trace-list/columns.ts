import type { TraceAmount } from '@dacapo/protocol';
import { useMemo, useState } from 'react';
import { readChoice, storeChoice } from '../../shared/navigation/stored-choice.js';

export type ColumnId = 'session' | 'release' | 'spans' | 'duration' | 'tokens' | 'cost';

/** A column that the reader may hide. */
export interface Column {
  id: ColumnId;
  label: string;
  /** What a click on its header sorts by. */
  sort?: TraceAmount;
}

export const COLUMNS: readonly Column[] = [
  { id: 'session', label: 'Session' },
  { id: 'release', label: 'Release' },
  { id: 'spans', label: 'Spans', sort: 'span_count' },
  { id: 'duration', label: 'Duration', sort: 'duration_ms' },
  { id: 'tokens', label: 'Tokens', sort: 'tokens' },
  { id: 'cost', label: 'Cost', sort: 'cost_usd' },
];

const HIDDEN_AT_FIRST = 'release';

/** The shown columns, and a function that shows or hides one. This browser remembers them. */
export function useColumns(): [shown: readonly Column[], toggle: (id: ColumnId) => void] {
  const [hidden, setHidden] = useState(readChoice('hidden columns') ?? HIDDEN_AT_FIRST);
  const shown = useMemo(() => COLUMNS.filter(({ id }) => !hidden.split(' ').includes(id)), [hidden]);
  const toggle = (id: ColumnId) => {
    const next = COLUMNS.filter((column) => shown.includes(column) === (column.id === id))
      .map((column) => column.id)
      .join(' ');
    setHidden(next);
    storeChoice('hidden columns', next);
  };
  return [shown, toggle];
}
