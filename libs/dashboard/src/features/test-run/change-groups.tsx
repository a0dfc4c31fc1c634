import { type ReactNode, useState } from 'react';
import type { TestRunItemRecord, TestRunItemSummary } from '@dacapo/protocol';
import { formatCount, formatQuantity } from '../../shared/format/format-count.js';
import { JudgeGroup } from './judging/judge-group.js';
import { isJudged } from './groups/judged-groups.js';
import { TestRunItem } from './test-run-item.js';
import { type Change, type ChangeGroup } from './groups/group-changes.js';
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
  /** Ends the header. */
  children: ReactNode;
}

/** One row for each group of equal changes. A row opens its calls. */
export function ChangeGroups({ testRunId, groups, total, isCut, children }: ChangeGroupsProps) {
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
        {children}
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
    <li data-group={group.id}>
      <div className={styles.line} data-judged={items.every(isJudged)}>
        <button
          type="button"
          className={`opens ${styles.row ?? ''}`}
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
        <JudgeGroup group={group} name={title ?? changes.map(({ path }) => namePlace(path)).join(', ')} />
      </div>
      {isOpen && <Calls testRunId={testRunId} items={items} />}
    </li>
  );
}

function namePlace(path: string): string {
  const place = path.replace(/^\$\.?/, '');
  return place === '' ? 'output' : place;
}

function ChangedPlace({ change: { path, baseline, candidate } }: { change: Change }) {
  return (
    <span className={styles.place}>
      <span className={styles.path}>{namePlace(path)}</span>
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
  const shown = (hasAll ? items : items.slice(0, FIRST_CALLS)).map(summarize);
  return (
    <ol className={styles.calls} aria-label="Calls with this change">
      {shown.map((item, index) => (
        <TestRunItem
          key={`${item.item_no}/${item.repetition ?? 0}`}
          testRunId={testRunId}
          item={item}
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
