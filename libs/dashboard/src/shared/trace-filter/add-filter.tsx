import { lazy, type Ref, Suspense } from 'react';
import type { Condition, FilterKind } from './trace-filter.js';
import styles from './trace-filter.module.css';

const FilterEditor = lazy(async () => ({ default: (await import('./filter-editor.js')).FilterEditor }));

interface AddFilterProps {
  /** The filters to choose from. */
  kinds: readonly FilterKind[];
  /** What the editor edits: a condition, or a new one. Absent while it is closed. */
  edited: { condition?: Condition } | undefined;
  button: Ref<HTMLButtonElement>;
  onEdit: (edited: { condition?: Condition } | undefined) => void;
  onApply: (condition: Condition) => void;
}

/** The button that opens the editor of a condition. */
export function AddFilter({ kinds, edited, button, onEdit, onApply }: AddFilterProps) {
  return (
    <div className={styles.adding}>
      <button
        ref={button}
        type="button"
        aria-expanded={edited !== undefined}
        onClick={() => {
          onEdit(edited ? undefined : {});
        }}
      >
        <span aria-hidden="true">+</span> Add filter
      </button>
      {edited && (
        <Suspense>
          <FilterEditor
            key={edited.condition ? JSON.stringify(edited.condition.values) : 'new'}
            kinds={kinds}
            condition={edited.condition}
            onApply={onApply}
            onClose={() => {
              onEdit(undefined);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
