import { useState } from 'react';
import type { TestRunItemRecord, TestRunItemSummary } from '@dacapo/protocol';
import { formatCount, formatQuantity } from '../../../shared/format/format-count.js';
import { TestRunItem } from '../test-run-item.js';
import { type Change, type ChangeGroup } from './group-changes.js';
import styles from './change-groups.module.css';

/** Calls of an open group that are shown at first. */
const FIRST_CALLS = 20;

interface ChangeGroupsProps {
  testRunId: string;
  groups: readonly ChangeGroup[];
  /** Calls of the run. */
  total: number;
  /** Whether the run has more calls that differ. */
  isCut: boolean;
}

/** One row for each group of equal changes. A row opens its calls. */
export function ChangeGroups({ testRunId, groups, total, isCut }: ChangeGroupsProps) {
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  if (count === 0) return null;
  return (
    <section aria-label="What changed">
      <header className={styles.header}>
        <h2>What changed</h2>
        <span className="muted">
          {isCut && 'first '}
          {formatCount(count)} of {formatQuantity(total, 'call')}
        </span>
      </header>
      <ul className={styles.groups} aria-label="Groups of equal changes">
        {groups.map((group) => (
          <Group key={group.id} testRunId={testRunId} group={group} />
        ))}
      </ul>
    </section>
  );
}

function Group({ testRunId, group }: { testRunId: string; group: ChangeGroup }) {
  const { changes, title, isError, items } = group;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li>
      <button
        type="button"
        className={styles.row}
        data-row
        aria-expanded={isOpen}
        onClick={() => {
          setIsOpen(!isOpen);
        }}
      >
        <span className={styles.what} data-error={isError}>
          {title ?? changes.map((change) => <ChangedPlace key={change.path} change={change} />)}
        </span>
        <span className={styles.count}>{formatQuantity(items.length, 'call')}</span>
      </button>
      {isOpen && <Calls testRunId={testRunId} items={items} />}
    </li>
  );
}

function ChangedPlace({ change: { path, baseline, candidate } }: { change: Change }) {
  const place = path.replace(/^\$\.?/, '');
  return (
    <span className={styles.place}>
      <span className={styles.path}>{place === '' ? 'output' : place}</span>
      {(baseline ?? candidate) !== undefined && (
        <>
          {' '}
          {baseline ?? 'absent'} <span className="muted">→</span> {candidate ?? 'absent'}
        </>
      )}
    </span>
  );
}

const PREVIEW_CHARACTERS = 200;

/** The service makes previews for lists without payloads only. */
function summarize(item: TestRunItemRecord): TestRunItemSummary {
  const { input, error, divergences = [], divergence_count = divergences.length } = item;
  return {
    ...item,
    ...(input && { input_preview: JSON.stringify(input).slice(0, PREVIEW_CHARACTERS) }),
    ...(error && { error_preview: `${error.name}: ${error.message}`.slice(0, PREVIEW_CHARACTERS) }),
    ...(divergence_count > 0 && { divergence_count }),
  };
}

function Calls({ testRunId, items }: { testRunId: string; items: readonly TestRunItemRecord[] }) {
  const [hasAll, setHasAll] = useState(false);
  const shown = hasAll ? items : items.slice(0, FIRST_CALLS);
  return (
    <ol className={styles.calls} aria-label="Calls with this change">
      {shown.map((item, index) => (
        <TestRunItem
          key={`${item.item_no}/${item.repetition ?? 0}`}
          testRunId={testRunId}
          item={summarize(item)}
          mayOpen={index === 0}
        />
      ))}
      {shown.length < items.length && (
        <li className={styles.more}>
          <button
            type="button"
            className="small"
            onClick={() => {
              setHasAll(true);
            }}
          >
            Show all {formatCount(items.length)} calls
          </button>
        </li>
      )}
    </ol>
  );
}
