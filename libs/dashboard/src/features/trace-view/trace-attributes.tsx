import type { JsonObject, JsonValue, TraceDetail } from '@dacapo/protocol';
import { formatCount } from '../../shared/format/format-count.js';
import { ScoreList } from '../../shared/scores/score-list.js';
import { Disclosure } from '../../shared/ui/disclosure.js';
import { ValueBlock } from '../../shared/ui/value-block.js';
import styles from './trace-attributes.module.css';

/** Metadata, contexts and scores of the whole trace. Renders nothing without them. */
export function TraceAttributes({ trace }: { trace: TraceDetail }) {
  const groups = [
    { title: 'Metadata', values: trace.metadata },
    { title: 'Trace contexts', values: trace.contexts },
  ].filter(({ values }) => Object.keys(values).length > 0);
  const scores = trace.scores?.filter(({ span_id }) => span_id === undefined) ?? [];
  if (groups.length === 0 && scores.length === 0) return null;
  return (
    <div className={styles.groups}>
      {scores.length > 0 && (
        <section className={`${styles.group ?? ''} ${styles.scores ?? ''}`} aria-label="Scores of the trace">
          <h2 className={styles.title}>Scores</h2>
          <ScoreList scores={scores} />
        </section>
      )}
      {groups.map(({ title, values }) => (
        <Attributes key={title} title={title} values={values} />
      ))}
    </div>
  );
}

function Attributes({ title, values }: { title: string; values: JsonObject }) {
  const entries = Object.entries(values).map(([name, value]) => `${name}: ${shortText(value)}`);
  const summary = (
    <>
      <h2 className={styles.title}>{title}</h2> <span className="muted">{formatCount(entries.length)}</span>
      <span className={`mono muted ${styles.preview ?? ''}`}>{entries.join(', ')}</span>
    </>
  );
  return (
    <Disclosure className={styles.group} summary={summary}>
      <div className={styles.value}>
        <ValueBlock value={values} />
      </div>
    </Disclosure>
  );
}

const SHORT = 60;

function shortText(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}
