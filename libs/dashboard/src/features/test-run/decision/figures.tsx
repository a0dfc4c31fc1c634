import {
  type Difference,
  formatInterval,
  formatNumber,
  formatEvidence,
  type MeasureSummary,
} from '@dacapo/evaluation';
import type { ReactNode } from 'react';
import { formatCount, formatQuantity } from '../../../shared/format/format-count.js';
import styles from './decision.module.css';
import { formatMeasure, formatSigned } from './format-measure.js';
import type { MeasureName, RunFigures, ShownScore } from './read-summary.js';

interface FiguresProps {
  figures: RunFigures;
  /** Filters the items by this score. */
  onScore: (name: string) => void;
}

/** Columns with words are aligned left, columns with numbers right. */
const CHANGE_INTERVAL = 'CI and p of the change';
const P95_EVIDENCE = 'p of the p95 change';
const WORD_COLUMNS = [CHANGE_INTERVAL, P95_EVIDENCE, 'Changed calls'];

/** Scores, durations and usage of a run, with confidence intervals and changes from the baseline. */
export function Figures({ figures, onScore }: FiguresProps) {
  const { scores, measures, unmeasured, repeats, confidence } = figures;
  const interval = `${formatNumber(confidence * 100)} % CI`;
  return (
    <>
      {scores.length > 0 && (
        <Table
          label="Scores"
          columns={['Score', 'Mean', interval, 'Items', 'Change', CHANGE_INTERVAL, 'Changed calls']}
        >
          {scores.map(([name, score]) => (
            <tr key={name}>
              <th scope="row">
                <button
                  type="button"
                  className="small plain"
                  title={`Filter calls by ${name}`}
                  onClick={() => {
                    onScore(name);
                  }}
                >
                  {name}
                </button>
              </th>
              <td className="number">
                {score.mean === null ? formatLabels(score) : formatNumber(score.mean)}
              </td>
              <td className="number">{score.interval ? formatInterval(score.interval) : '–'}</td>
              <td className="number">{formatItems(score)}</td>
              <Change delta={score.delta} isBetter={(change) => change > 0} />
              <td className="nowrap">
                {score.delta && `${formatCount(score.worseCount)} worse, ${formatCount(score.better)} better`}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {measures.length > 0 && (
        <Table
          label="Duration and usage"
          columns={[
            'Per call',
            'Mean',
            'p95',
            'Total',
            'Change',
            CHANGE_INTERVAL,
            'p95 change',
            P95_EVIDENCE,
          ]}
        >
          {measures.map(([name, measured]) => (
            <MeasureRow key={name} name={name} measured={measured} unknown={unmeasured[name] ?? 0} />
          ))}
        </Table>
      )}
      {repeats.length > 0 && (
        <Table label="Repeats" columns={['Measure', 'At least one passes', 'All pass', 'Flaky', interval]}>
          {repeats.map(([name, { k, passAtK, passHatK, flaky, items, flakyInterval }]) => (
            <tr key={name}>
              <th scope="row">
                {name}, {k} repeats
              </th>
              <td className="number">{formatNumber(passAtK)}</td>
              <td className="number">{formatNumber(passHatK)}</td>
              <td className="number">
                {formatCount(flaky)} of {formatCount(items)}
              </td>
              <td className="number">{formatInterval(flakyInterval)}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

const MEASURES: Record<MeasureName, string> = {
  durations: 'Duration',
  tokens: 'Tokens',
  inputTokens: 'Input tokens',
  outputTokens: 'Output tokens',
  cachedInputTokens: 'Cached input tokens',
  cacheWriteTokens: 'Cache write tokens',
  reasoningTokens: 'Reasoning tokens',
  audioTokens: 'Audio tokens',
  costUsd: 'Cost',
};

interface MeasureRowProps {
  name: MeasureName;
  measured: MeasureSummary;
  /** Items without this measure whose baseline has it. */
  unknown: number;
}

function MeasureRow({ name, measured, unknown }: MeasureRowProps) {
  const { mean, p95, total, delta, p95Delta } = measured;
  const format = (value: number) => formatMeasure(name, value);
  const isBetter = (change: number) => change < 0;
  return (
    <tr>
      <th scope="row">
        {MEASURES[name]}
        {unknown > 0 && (
          <span className="muted nowrap">{` (${formatQuantity(unknown, 'call')} unknown)`}</span>
        )}
      </th>
      <td className="number">{format(mean)}</td>
      <td className="number">{format(p95)}</td>
      <td className="number">{format(total)}</td>
      <Change delta={delta} isBetter={isBetter} format={format} />
      <td className={`number ${p95Delta ? '' : 'muted'}`}>
        {p95Delta ? formatSigned(p95Delta.mean, format) : '–'}
      </td>
      <td className="muted nowrap">{p95Delta && formatEvidence(p95Delta)}</td>
    </tr>
  );
}

interface ChangeProps {
  delta: Difference | undefined;
  isBetter: (change: number) => boolean;
  format?: (value: number) => string;
}

/** Coloured only when the change is exact or its interval excludes 0. */
function Change({ delta, isBetter, format = formatNumber }: ChangeProps) {
  if (delta === undefined) {
    return (
      <>
        <td className="number muted">–</td>
        <td />
      </>
    );
  }
  const { mean, interval, exact } = delta;
  const isSure = exact === true ? mean !== 0 : interval && (interval.low > 0 || interval.high < 0);
  return (
    <>
      <td className="number" data-change={isSure ? (isBetter(mean) ? 'better' : 'worse') : undefined}>
        {formatSigned(mean, format)}
      </td>
      <td className="muted nowrap">
        {interval && `${formatSigned(interval.low, format)} to ${formatSigned(interval.high, format)}, `}
        {formatEvidence(delta)}
      </td>
    </>
  );
}

function formatItems({ n, notApplicable, missing, lost = 0, reused = 0 }: ShownScore): string {
  return [
    formatCount(n),
    ...(notApplicable > 0 ? [`${formatCount(notApplicable)} n/a`] : []),
    ...(missing > 0 ? [`${formatCount(missing)} missing`] : []),
    ...(lost > 0 ? [`${formatCount(lost)} lost`] : []),
    ...(reused > 0 ? [`${formatCount(reused)} reused`] : []),
  ].join(', ');
}

function formatLabels({ labels = {} }: ShownScore): string {
  const sorted = Object.entries(labels).sort(([, left], [, right]) => right - left);
  const rest = sorted.length - 5;
  return [
    ...sorted.slice(0, 5).map(([label, count]) => `${label} ${formatCount(count)}`),
    ...(rest > 0 ? [`and ${formatQuantity(rest, 'other')}`] : []),
  ].join(', ');
}

function Table({ label, columns, children }: { label: string; columns: string[]; children: ReactNode }) {
  return (
    <section className={styles.figures} aria-label={label}>
      <h2>{label}</h2>
      <div className="table-frame" tabIndex={0} role="group" aria-label={`${label} table`}>
        <table>
          <thead>
            <tr>
              {columns.map((column, index) => (
                <th
                  key={column}
                  scope="col"
                  className={index === 0 || WORD_COLUMNS.includes(column) ? undefined : 'number'}
                >
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </section>
  );
}
