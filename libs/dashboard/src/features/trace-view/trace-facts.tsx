import {
  conditionLabel,
  CONDITIONS,
  TRACE_LABELS,
  type TraceDetail,
  type TraceUsage,
} from '@dacapo/protocol';
import { formatQuantity } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';
import { paths } from '../../shared/navigation/paths.js';
import { Link } from '../../shared/sharing/account-link.js';
import { CopyButton } from '../../shared/ui/copy-button.js';
import { Cost } from '../../shared/ui/cost.js';
import { SpanStatus } from '../../shared/ui/span-status.js';
import { SpanType } from '../../shared/ui/span-type.js';
import { Time } from '../../shared/ui/time.js';
import styles from './trace-facts.module.css';

/** The facts of a trace, with links to its session, key, caller and test run. */
export function TraceFacts({ trace }: { trace: TraceDetail }) {
  const { trace_function_key: key, test_run_id: testRun, started_by: startedBy, tags = [] } = trace;
  const [link] = trace.links ?? [];
  return (
    <ul className={styles.facts} aria-label="About this trace">
      <li>
        <SpanStatus status={trace.status} />
        <SpanType type={trace.type} />
      </li>
      <li>
        <Time at={trace.started_at} zone />
      </li>
      <li>{formatDuration(trace.duration_ms)}</li>
      <li>{formatQuantity(trace.span_count, 'span')}</li>
      {trace.usage !== undefined && (
        <>
          <li>{formatQuantity(totalTokens(trace.usage), 'token')}</li>
          <li>
            Cost <Cost usage={trace.usage} priceVersions={listPriceVersions(trace)} />
          </li>
        </>
      )}
      {trace.error_count > 0 && (
        <li className={styles.errors}>{formatQuantity(trace.error_count, 'error')}</li>
      )}
      <li>
        Key
        <Link className="one-line" href={paths.traces({ trace_function_key: key })}>
          {key}
        </Link>
      </li>
      {TRACE_LABELS.map((name) => {
        const text = trace[name];
        if (text === undefined) return null;
        return (
          <li key={name}>
            {conditionLabel(CONDITIONS[name])}
            <Link className="one-line" href={paths.traces({ [name]: text })}>
              {text}
            </Link>
          </li>
        );
      })}
      {tags.length > 0 && (
        <li>
          {tags.length === 1 ? 'Tag' : 'Tags'}
          {tags.map((tag) => (
            <Link key={tag} className="one-line" href={paths.traces({ tags: tag })}>
              {tag}
            </Link>
          ))}
        </li>
      )}
      {startedBy !== undefined && (
        <li title="It started in the context of a call that had already ended, such as work after a response.">
          Started by
          <Link href={paths.trace(startedBy.trace_id, startedBy.span_id)}>
            a finished span of another trace
          </Link>
        </li>
      )}
      {link !== undefined && (
        <li title="The request named this span as its caller. Such headers are not verified, and the span may be stored elsewhere.">
          Linked from
          <Link href={paths.trace(link.trace_id, link.span_id)}>the caller's span</Link>
        </li>
      )}
      {testRun !== undefined && (
        <li>
          <Link href={paths.testRun(testRun)}>Replayed in a run</Link>
        </li>
      )}
      <li>
        <code>{trace.id}</code>
        <CopyButton text={trace.id} what="trace id" />
      </li>
    </ul>
  );
}

function totalTokens({ input_tokens: input = 0, output_tokens: output = 0 }: TraceUsage): number {
  return input + output;
}

function listPriceVersions({ spans }: TraceDetail): string[] {
  return [...new Set(spans.flatMap(({ usage }) => usage?.price_version ?? []))];
}
