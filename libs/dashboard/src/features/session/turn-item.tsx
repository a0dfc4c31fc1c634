import type { TraceSummary } from '@dacapo/protocol';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { Link } from 'wouter';
import { formatQuantity } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';
import { MediaContent } from '../../shared/media/media-content.js';
import { MessageList } from '../../shared/messages/message-list.js';
import { paths } from '../../shared/navigation/paths.js';
import { replaySessionCommand } from '../../shared/replay/replay-command.js';
import { Badge } from '../../shared/ui/badge.js';
import { CopyButton } from '../../shared/ui/copy-button.js';
import { Cost } from '../../shared/ui/cost.js';
import { ErrorBlock } from '../../shared/ui/error-block.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import { SpanStatus } from '../../shared/ui/span-status.js';
import { Time } from '../../shared/ui/time.js';
import { turnQuery } from './api.js';
import styles from './session.module.css';
import { useIsNear } from './use-is-near.js';

interface TurnItemProps {
  trace: TraceSummary;
  sessionId: string;
  /** From 1. */
  place: number;
}

/** A trace of the session: its facts, then what was said. Its payloads load when it comes near the window. */
export const TurnItem = memo(function TurnItem({ trace, sessionId, place }: TurnItemProps) {
  const { setElement, isNear } = useIsNear();
  const { id, name, started_at: startedAt, status, error_count: errors, first_call: call } = trace;
  const { usage, cost_usd: cost } = trace;
  const key = call?.trace_function_key ?? trace.trace_function_key;
  const command = replaySessionCommand({ key, sessionId, since: startedAt });
  return (
    <li
      ref={setElement}
      className={styles.turn}
      data-failed={status === 'error'}
      aria-label={`Turn ${place}`}
    >
      <header className={styles.facts}>
        <span className={styles.place}>{place}</span>
        <Time at={startedAt} />
        <Link className="one-line" href={paths.trace(id)} data-row title="Open the trace">
          {call?.name ?? name}
        </Link>
        <span>{formatDuration(trace.duration_ms)}</span>
        <Cost usage={cost === undefined ? usage : { ...usage, cost_usd: cost }} />
        {status !== 'ok' && <SpanStatus status={status} />}
        {status === 'ok' && errors > 0 && <Badge tone="error">{formatQuantity(errors, 'inner error')}</Badge>}
        <span className={styles.replay} title={command}>
          <CopyButton text={command} verb="Replay from here" what={`command from turn ${place}`} />
        </span>
      </header>
      <Content trace={trace} isNear={isNear} place={place} />
    </li>
  );
});

function Content({ trace, isNear, place }: { trace: TraceSummary; isNear: boolean; place: number }) {
  const queries = useQueryClient();
  const [wasNear, setWasNear] = useState(isNear);
  if (isNear && !wasNear) setWasNear(true);
  const {
    data: turn,
    isPending,
    isError,
    error,
    refetch,
  } = useQuery({
    ...turnQuery(queries, trace),
    enabled: wasNear,
    // An unfinished turn stays while its next state loads.
    placeholderData: keepPreviousData,
  });
  if (isError) {
    return <ErrorNotice title="Could not load this turn." error={error} onRetry={() => void refetch()} />;
  }
  if (isPending) return <div className={styles.loading} />;
  const { messages = [], media = [], error: thrown } = turn ?? {};
  return (
    <>
      {messages.length > 0 ? (
        <MessageList messages={messages} label={`Messages of turn ${place}`} />
      ) : (
        <Previews trace={trace} withoutError={thrown !== undefined} />
      )}
      {media.map((one) => (
        <figure key={one.id} className={styles.media}>
          <MediaContent media={one} />
        </figure>
      ))}
      {thrown && <ErrorBlock error={thrown} />}
      {trace.status === 'unfinished' && <p className="muted">The call has not ended yet.</p>}
    </>
  );
}

/** Input and output, shortly, of a call that is not a conversation. */
function Previews({ trace, withoutError }: { trace: TraceSummary; withoutError: boolean }) {
  const call = trace.first_call ?? trace;
  const { input_preview: input, output_preview: output, error_preview: error } = call;
  return (
    <dl className={styles.previews}>
      {input !== undefined && (
        <>
          <dt>Input</dt>
          <dd className="mono">{input}</dd>
        </>
      )}
      {output !== undefined && (
        <>
          <dt>Output</dt>
          <dd className="mono">{output}</dd>
        </>
      )}
      {error !== undefined && !withoutError && (
        <>
          <dt>Error</dt>
          <dd className={styles.error}>{error}</dd>
        </>
      )}
    </dl>
  );
}
