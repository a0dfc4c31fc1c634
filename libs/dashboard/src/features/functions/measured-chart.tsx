import type { MetricsAnswer } from '@dacapo/protocol';
import type { Bucket } from './api.js';
import styles from './functions.module.css';
import { type Mark } from './marks.js';
import { MEASURES } from './measures.js';
import { buildSeries } from './series.js';
import { TimeChart } from './time-chart.js';

interface MeasuredChartProps {
  /** The subject: a key, or all traces. */
  of: string;
  /** The key, absent for all traces. */
  functionKey?: string;
  /** Rows by hour or day. */
  answer: MetricsAnswer | undefined;
  bucket: Bucket;
  /** The id of the drawn measure; the first one if unknown. */
  measure: string;
  marks?: readonly Mark[];
  isOutdated: boolean;
  onMeasure: (measure: string) => void;
}

/** A chart over time, of the figure that the reader chooses. */
export function MeasuredChart(props: MeasuredChartProps) {
  const { of, functionKey, answer, bucket, marks, isOutdated, onMeasure } = props;
  const measure = MEASURES.find(({ id }) => id === props.measure) ?? MEASURES[0];
  return (
    <section className={styles.drawn} aria-label={`Over time: ${of}`}>
      <div className={styles.measures} role="group" aria-label="Measure">
        {MEASURES.map(({ id, label }) => (
          <button
            key={id}
            type="button"
            className="small"
            aria-pressed={id === measure.id}
            onClick={() => {
              onMeasure(id === MEASURES[0].id ? '' : id);
            }}
          >
            {label}
          </button>
        ))}
      </div>
      <div className={styles.chartFrame} aria-busy={isOutdated}>
        {answer && (
          <TimeChart
            of={of}
            bucket={bucket}
            measure={measure}
            points={buildSeries(answer, bucket, functionKey)}
            marks={marks}
          />
        )}
      </div>
    </section>
  );
}
