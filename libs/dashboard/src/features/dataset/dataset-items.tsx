import type { DatasetItem, DatasetItemSource, JsonValue, Verdict } from '@dacapo/protocol';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { MessageList } from '../../shared/messages/message-list.js';
import { readAnswer, readPrompt } from '../../shared/messages/read-messages.js';
import { paths } from '../../shared/navigation/paths.js';
import { Badge } from '../../shared/ui/badge.js';
import { CopyButton } from '../../shared/ui/copy-button.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';
import { ValueBlock } from '../../shared/ui/value-block.js';
import { datasetItemsQuery, latestVerdictsQuery } from './api.js';
import styles from './dataset-items.module.css';
import { ItemActions } from './item-actions.js';

interface DatasetItemsProps {
  name: string;
  version: number;
  /** Whether the reader may change the dataset, which is possible in its latest version. */
  isEditable: boolean;
  onEdited: (version: number) => void;
}

/** The items of a version as a table. Each row unfolds. */
export function DatasetItems({ name, version, isEditable, onEdited }: DatasetItemsProps) {
  const query = useInfiniteQuery(datasetItemsQuery(name, version));
  const { data: latest } = useQuery(latestVerdictsQuery(name, version));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const toggle = (id: string) => {
    setChosen((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  };
  if (query.isPending) return <LoadingRows what="the items" />;
  if (query.isError) {
    return (
      <ErrorNotice
        title="Could not load the items."
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return (
    <>
      <ItemActions
        name={name}
        version={version}
        items={items}
        chosen={chosen}
        isEditable={isEditable}
        onToggle={toggle}
        onEdited={(made) => {
          setChosen(new Set());
          onEdited(made);
        }}
      />
      {items.length === 0 ? (
        <p className="muted">This version has no items.</p>
      ) : (
        <div className={`table-frame ${styles.frame ?? ''}`}>
          <table>
            <thead>
              <tr>
                <th scope="col" className={styles.select}>
                  <span className="visually-hidden">Selected</span>
                </th>
                <th scope="col">Input</th>
                <th scope="col">Expected</th>
                <th scope="col">
                  {latest ? <Link href={paths.testRun(latest.runId)}>Last verdict</Link> : 'Last verdict'}
                </th>
                <th scope="col">Source</th>
              </tr>
            </thead>
            <tbody>
              {items.map((item, no) => (
                <ItemRow
                  key={item.id}
                  item={item}
                  verdict={latest?.verdicts[no]}
                  isChosen={chosen.has(item.id)}
                  onToggle={toggle}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div>
        <LoadMore {...query} />
      </div>
    </>
  );
}

interface ItemRowProps {
  item: DatasetItem;
  verdict: Verdict | undefined;
  isChosen: boolean;
  onToggle: (id: string) => void;
}

/** One example: input, expected value, verdict and source. */
function ItemRow({ item, verdict, isChosen, onToggle }: ItemRowProps) {
  const { id, input, expected, metadata, source, erased } = item;
  const [isOpen, setIsOpen] = useState(false);
  const [only] = input;
  const shownInput = input.length === 1 && only !== undefined ? only : input;
  const text = preview(shownInput);
  return (
    <>
      <tr data-row-id={id} data-selected={isChosen}>
        <td className={styles.select}>
          <input
            type="checkbox"
            aria-label={`Select ${erased ? id : text}`}
            checked={isChosen}
            onChange={() => {
              onToggle(id);
            }}
          />
        </td>
        {erased ? (
          <td colSpan={3} className="muted">
            <Badge tone="neutral">erased</Badge> The content was deleted with the call that it was copied
            from. Replays skip this item.
          </td>
        ) : (
          <>
            <td className={styles.value}>
              <button
                type="button"
                className={styles.opener}
                data-row
                aria-expanded={isOpen}
                onClick={() => {
                  setIsOpen(!isOpen);
                }}
              >
                <code>{text}</code>
              </button>
            </td>
            <td className={styles.value}>
              {expected === undefined ? <span className="muted">–</span> : <code>{preview(expected)}</code>}
            </td>
            <td className="nowrap">{verdict === undefined ? <span className="muted">–</span> : verdict}</td>
          </>
        )}
        <td className={`muted ${styles.source ?? ''}`}>
          <Source source={source} />
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td />
          <td colSpan={4}>
            <div className={styles.body}>
              <h3>Input</h3>
              <Value value={shownInput} messages={readPrompt(input)} />
              <h3>Expected</h3>
              {expected === undefined ? (
                <p className="muted">None. Evaluators that need an expected value skip this item.</p>
              ) : (
                <Value value={expected} messages={readAnswer(expected)} />
              )}
              {metadata && (
                <>
                  <h3>Metadata</h3>
                  <ValueBlock value={metadata} />
                </>
              )}
              <p className="muted">
                Item <code>{id}</code> <CopyButton text={id} what="item id" />
              </p>
            </div>
          </td>
        </tr>
      )}
    </>
  );
}

function Value({ value, messages }: { value: JsonValue; messages: ReturnType<typeof readPrompt> }) {
  return messages ? <MessageList messages={messages} label="Messages" /> : <ValueBlock value={value} />;
}

/** The source of an item. The source call may have been deleted since. */
function Source({ source }: { source: DatasetItemSource | undefined }) {
  const {
    trace_id: traceId,
    span_id: spanId,
    trace_function_key: key,
    test_run_id: runId,
    item_no: no,
  } = source ?? {};
  if (traceId === undefined && runId === undefined)
    return <span className="muted">Written for this dataset.</span>;
  return (
    <>
      Copied from{' '}
      {traceId !== undefined && (
        <>
          <Link href={paths.trace(traceId, spanId)}>a recorded call</Link>
          {key !== undefined && (
            <>
              {' '}
              of <code>{key}</code>
            </>
          )}
        </>
      )}
      {runId !== undefined && (
        <>
          {traceId !== undefined && ', from '}
          <Link href={paths.testRun(runId)}>{no === undefined ? 'a run' : `call ${no + 1} of a run`}</Link>
        </>
      )}
      .
    </>
  );
}

const PREVIEW = 160;

function preview(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text;
}
