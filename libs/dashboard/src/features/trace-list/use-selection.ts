import type { TraceSummary } from '@dacapo/protocol';
import { useCallback, useState } from 'react';

/** The ids of the selected traces. Without a selection, actions apply to the focused row. */
export function useSelection(rows: readonly TraceSummary[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const selected = rows.filter(({ id }) => ids.has(id));
  const toggle = useCallback((id: string) => {
    setIds((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  return {
    ids,
    selected,
    toggle,
    toggleFocused: () => {
      const id = findFocusedRow();
      if (id !== undefined) toggle(id);
    },
    clear: () => {
      setIds(new Set());
    },
    /** The traces that an action applies to. */
    targets: (): readonly TraceSummary[] => {
      const focused = findFocusedRow();
      return selected.length > 0 ? selected : rows.filter(({ id }) => id === focused);
    },
  };
}

export type Selection = ReturnType<typeof useSelection>;

function findFocusedRow(): string | undefined {
  return document.activeElement?.closest<HTMLElement>('[data-row-id]')?.dataset['rowId'];
}
