import type { JsonValue, SpanDetail, TraceSummary } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatDuration } from '../../shared/format/format-duration.js';
import { MessageList } from '../../shared/messages/message-list.js';
import { readAnswer, readPrompt } from '../../shared/messages/read-messages.js';
import { paths } from '../../shared/navigation/paths.js';
import { ErrorBlock } from '../../shared/ui/error-block.js';
import { ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { SpanStatus } from '../../shared/ui/span-status.js';
import { SpanTypeIcon } from '../../shared/ui/span-type.js';
import { Time } from '../../shared/ui/time.js';
import { ValueBlock } from '../../shared/ui/value-block.js';
import { callQuery } from './api.js';
import styles from './review.module.css';

/** What one call received and returned. */
export function CallView({ trace }: { trace: TraceSummary }) {
  const query = useQuery(callQuery(trace));
  const { id, first_call: match, name, type, status, started_at: startedAt } = trace;
  const shown = match?.name ?? name;
  return (
    <article className={styles.call} aria-label={`Call ${shown}`}>
      <header className={styles.callHead}>
        <SpanTypeIcon type={match?.type ?? type} />
        <h2>
          <Link href={paths.trace(id, match?.id)}>{shown}</Link>
        </h2>
        <SpanStatus status={match?.status ?? status} />
        <span className="muted">
          <Time at={startedAt} />
        </span>
        {query.data && <span className="muted">{formatDuration(query.data.duration_ms)}</span>}
      </header>
      {query.isPending && <Loading what="the call" />}
      {query.isError && (
        <ErrorNotice
          title="Could not load the call."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data && <Content span={query.data} />}
      {query.data === null && <p className="muted">No spans of this trace have arrived yet.</p>}
    </article>
  );
}

function Content({ span: { span_data: data } }: { span: SpanDetail }) {
  const { input, output, error } = data;
  const asked = readPrompt(input);
  const answered = readAnswer(output);
  const [only] = input ?? [];
  return (
    <div className={styles.sides}>
      <Side title="Input">
        {asked ? (
          <MessageList messages={asked} label="Messages of the input" />
        ) : (
          <Value value={input?.length === 1 ? only : input} missing="No input was recorded." />
        )}
      </Side>
      <Side title={error ? 'Error' : 'Output'}>
        {error ? (
          <ErrorBlock error={error} />
        ) : answered ? (
          <MessageList messages={answered} label="Messages of the output" />
        ) : (
          <Value value={output} missing="The call returned undefined." />
        )}
      </Side>
    </div>
  );
}

function Side({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section role="group" aria-label={title} className={styles.side}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Value({ value, missing }: { value: JsonValue | undefined; missing: string }) {
  return value === undefined ? <p className="muted">{missing}</p> : <ValueBlock value={value} />;
}
