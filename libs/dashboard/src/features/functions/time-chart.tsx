import { formatTime, formatUtcDay } from '../../shared/format/format-time.js';
import { Disclosure } from '../../shared/ui/disclosure.js';
import type { Bucket } from './api.js';
import { type Mark, placeMarks } from './marks.js';
import type { Measure } from './measures.js';
import { axisEnd, endOfBucket, type Point } from './series.js';
import styles from './time-chart.module.css';

interface TimeChartProps {
  /** The subject: a key, or all traces. */
  of: string;
  points: readonly Point[];
  bucket: Bucket;
  measure: Measure;
  /** Drawn as lines, and listed. */
  marks?: readonly Mark[] | undefined;
}

/** Units of the SVG, which stretches to its container. */
const [WIDTH, HEIGHT] = [1_000, 200];

/** A bar chart per hour or day with a data table. An unknown figure has no bar. */
export function TimeChart({ of, points, bucket, measure, marks = [] }: TimeChartProps) {
  const bars = points.map(({ at, item }) => ({
    at,
    whole: item && measure.readWhole(item),
    part: item && measure.readPart?.(item),
    absent: item ? measure.absent(item) : 'no calls',
  }));
  const end = axisEnd(Math.max(0, ...bars.map(({ whole = 0 }) => whole)));
  const step = WIDTH / points.length;
  const gap = Math.min(3, step * 0.15);
  const name = (at: string): string =>
    bucket === 'day' ? formatUtcDay(at) : formatTime(at).replace(/:\d\d$/, '');
  const formatValue = (value: number | undefined): string =>
    value === undefined ? '–' : measure.format(value);
  const formatTitle = ({ at, whole, part, absent }: (typeof bars)[number]): string => {
    if (whole === undefined) return `${name(at)}: ${absent}`;
    const more = measure.part === undefined ? '' : `, ${formatValue(part)} ${measure.part}`;
    return `${name(at)}: ${measure.format(whole)} ${measure.whole}${more}`;
  };
  const [first, last] = [points[0], points.at(-1)];
  const placed =
    first === undefined || last === undefined
      ? []
      : placeMarks(marks, { since: first.at, until: endOfBucket(last.at, bucket) });
  const isBlank = bars.every(({ whole }) => whole === undefined);
  const times = [points[0], points[Math.floor(points.length / 2)], points.at(-1)].flatMap(
    (each) => each ?? [],
  );
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.legend}>
        <span>
          <i className={styles.whole} /> {measure.whole}
        </span>
        {measure.part !== undefined && (
          <span>
            <i className={styles.part} data-tone={measure.tone} /> {measure.part}
          </span>
        )}
        <span className="muted">{bucket === 'day' ? 'per day (UTC)' : 'per hour'}</span>
        {placed.length > 0 && (
          <ul className={styles.marks} aria-label="Began in this period">
            {placed.map(({ at, label }) => (
              <li key={`${at} ${label}`}>
                <i className={styles.mark} /> {label} {name(at)}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      <div className={styles.plot}>
        <div className={styles.amounts} aria-hidden="true">
          <span>{measure.format(end)}</span>
          <span>{measure.format(end / 2)}</span>
          <span>{measure.format(0)}</span>
        </div>
        <svg
          className={styles.bars}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${measure.label} of ${of}, per ${bucket}`}
        >
          {[0, HEIGHT / 2, HEIGHT].map((y) => (
            <line key={y} className={styles.grid} x1={0} x2={WIDTH} y1={y} y2={y} />
          ))}
          {bars.map((bar, index) => (
            <g key={bar.at} className={styles.bucket}>
              <title>{formatTitle(bar)}</title>
              <rect className={styles.area} x={index * step} y={0} width={step} height={HEIGHT} />
              <Bar
                className={styles.whole}
                amount={bar.whole}
                index={index}
                step={step}
                gap={gap}
                end={end}
              />
              <Bar
                className={styles.part}
                tone={measure.tone}
                amount={bar.part}
                index={index}
                step={step}
                gap={gap}
                end={end}
              />
            </g>
          ))}
          {placed.map(({ at, label, share }) => (
            <line
              key={`${at} ${label}`}
              className={styles.markLine}
              x1={share * WIDTH}
              x2={share * WIDTH}
              y1={0}
              y2={HEIGHT}
            >
              <title>{label}</title>
            </line>
          ))}
        </svg>
        {isBlank && (
          <p className={styles.blank}>
            {bars.find(({ absent }) => absent === 'unknown')
              ? 'No price is known for these models.'
              : 'No data in this period.'}
          </p>
        )}
        <div className={styles.times} aria-hidden="true">
          {times.map(({ at }) => (
            <span key={at}>{name(at)}</span>
          ))}
        </div>
      </div>
      <Disclosure className={styles.numbers} summary="Data table">
        <div
          className="table-frame"
          tabIndex={0}
          role="group"
          aria-label={`${measure.label} of ${of}, data table`}
        >
          <table>
            <thead>
              <tr>
                <th>{bucket === 'day' ? 'Day (UTC)' : 'Hour'}</th>
                <th className="number">{measure.whole}</th>
                {measure.part !== undefined && <th className="number">{measure.part}</th>}
              </tr>
            </thead>
            <tbody>
              {bars.map(({ at, whole, part, absent }) => (
                <tr key={at}>
                  <td>{name(at)}</td>
                  <td className="number">
                    {whole === undefined ? <span className="muted">{absent}</span> : measure.format(whole)}
                  </td>
                  {measure.part !== undefined && <td className="number">{formatValue(part)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Disclosure>
    </figure>
  );
}

interface BarProps {
  className: string | undefined;
  tone?: Measure['tone'];
  amount: number | undefined;
  index: number;
  step: number;
  gap: number;
  end: number;
}

function Bar({ className, tone, amount = 0, index, step, gap, end }: BarProps) {
  if (amount <= 0) return null;
  // A small amount stays visible.
  const height = Math.max(1.5, (amount / end) * HEIGHT);
  return (
    <rect
      className={className}
      data-tone={tone}
      x={index * step + gap / 2}
      y={HEIGHT - height}
      width={step - gap}
      height={height}
    />
  );
}

/** A chart of the size of a word, to compare many keys. */
export function Sparkline({ points }: { points: readonly Point[] }) {
  const max = Math.max(1, ...points.map(({ item }) => item?.calls ?? 0));
  const step = 100 / points.length;
  return (
    <svg className={styles.spark} viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">
      {points.map(({ at, item }, index) => {
        if (item === undefined) return null;
        const [calls, errors] = [(item.calls / max) * 20, (item.errors / max) * 20];
        const common = { x: index * step, width: Math.max(step - 0.6, step * 0.7) };
        return (
          <g key={at}>
            <rect
              className={styles.whole}
              {...common}
              y={20 - Math.max(1, calls)}
              height={Math.max(1, calls)}
            />
            <rect className={styles.part} data-tone="error" {...common} y={20 - errors} height={errors} />
          </g>
        );
      })}
    </svg>
  );
}
