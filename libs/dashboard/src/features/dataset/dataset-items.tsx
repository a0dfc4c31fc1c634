import type { DatasetItem, DatasetItemSource, JsonValue } from '@dacapo/protocol';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { MessageList } from '../../shared/messages/message-list.js';
import { readAnswer, readPrompt } from '../../shared/messages/read-messages.js';
import { paths } from '../../shared/navigation/paths.js';
import { Badge } from '../../shared/ui/badge.js';
import { CopyButton } from '../../shared/ui/copy-button.js';
import { Disclosure } from '../../shared/ui/disclosure.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { ValueBlock } from '../../shared/ui/value-block.js';
import { datasetItemsQuery } from './api.js';
import styles from './dataset-items.module.css';

export function DatasetItems({ name, version }: { name: string; version: number }) {
  const query = useInfiniteQuery(datasetItemsQuery(name, version));
  if (query.isPending) return <Loading what="the items" />;
  if (query.isError) {
    return (
      <ErrorNotice
        title="Could not load the items."
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  const items = query.data.pages.flatMap((page) => page.items);
  return (
    <>
      {items.length === 0 && <p className="muted">This version has no items.</p>}
      <ol className={styles.items} aria-label="Items">
        {items.map((item) => (
          <Item key={item.id} item={item} />
        ))}
      </ol>
      <div>
        <LoadMore {...query} />
      </div>
    </>
  );
}

/** One example: input, expected value and source. */
function Item({ item }: { item: DatasetItem }) {
  const { id, input, expected, metadata, source } = item;
  if (item.erased) return <ErasedItem id={id} />;
  const [only] = input;
  const shownInput = input.length === 1 && only !== undefined ? only : input;
  return (
    <li className={styles.item}>
      <Disclosure
        className={styles.details}
        summary={
          <>
            <code className={styles.preview}>{preview(shownInput)}</code>
            <code className={`${styles.preview ?? ''} muted`}>
              {expected === undefined ? 'no expected value' : `→ ${preview(expected)}`}
            </code>
          </>
        }
      >
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
      </Disclosure>
      <p className={styles.source}>
        <Source source={source} />
      </p>
    </li>
  );
}

/** An item whose content was deleted with its call. */
function ErasedItem({ id }: { id: string }) {
  return (
    <li className={styles.item}>
      <p className={`muted ${styles.erased ?? ''}`}>
        <Badge tone="neutral">erased</Badge> The content was deleted with the call that it was copied from.
        Replays skip this item.
      </p>
      <p className={styles.source}>
        Item <code>{id}</code>
      </p>
    </li>
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
