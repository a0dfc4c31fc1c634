import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type PointerEvent, useMemo, useState } from 'react';
import { formatQuantity } from '../../../shared/format/format-count.js';
import { formatTime } from '../../../shared/format/format-time.js';
import { type KeySet, useKeySet } from '../../../shared/keys/page-keys.js';
import type { TraceFilter } from '../../../shared/trace-filter/trace-filter.js';
import { toRequest } from '../api.js';
import { type Bar, choosePeriod, type Times, timesBetween, toBars } from './bars.js';
import { histogramQuery, listIgnored } from './histogram-query.js';
import styles from './histogram.module.css';

/** The histogram handles them while it has the focus. */
const KEYS: KeySet = {
  rows: [{ keys: ['←', '→'], action: 'in the histogram: choose a time, ⇧ for a period, Enter to list it' }],
  find: () => undefined,
};

interface HistogramProps {
  filter: TraceFilter;
  onChange: (change: TraceFilter) => void;
}

/** When traces started. Drag over bars, or hold Shift with the arrow keys and press Enter, to list those alone. */
export function Histogram({ filter, onChange }: HistogramProps) {
  // The period changes with the filter, not with each render.
  const { times, period } = useMemo(() => readPeriod(filter), [filter]);
  const { data } = useQuery(histogramQuery(filter, period));
  const bars = useMemo(() => toBars(data?.items ?? [], period, times), [data, period, times]);
  const [range, setRange] = useState<{ from: number; to: number }>();
  const highest = Math.max(1, ...bars.map(({ calls }) => calls));
  const current = range?.to ?? bars.length - 1;
  const apply = ({ sinceMs, untilMs }: Times) => {
    setRange(undefined);
    onChange({ since: toIso(sinceMs), until: toIso(untilMs) });
  };
  const point = (event: PointerEvent<HTMLElement>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - left) / Math.max(1, width);
    return Math.min(bars.length - 1, Math.max(0, Math.floor(share * bars.length)));
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (step !== undefined) {
      const to = Math.min(bars.length - 1, Math.max(0, current + step));
      setRange({ from: event.shiftKey ? (range?.from ?? current) : to, to });
    } else if (event.key === 'Enter' && range) apply(timesBetween(bars, range.from, range.to));
    else if (event.key === 'Escape') apply({});
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  useKeySet(KEYS);
  const ignored = listIgnored(filter);
  const described = bars[current];
  return (
    <div
      className={styles.histogram}
      role="slider"
      tabIndex={0}
      aria-label="Start of traces"
      aria-valuemin={0}
      aria-valuemax={Math.max(0, bars.length - 1)}
      aria-valuenow={current}
      aria-valuetext={described && describeBar(described)}
      title={ignored.length > 0 ? `Bars do not count by ${ignored.join(', ')}.` : undefined}
      onKeyDown={press}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setRange({ from: point(event), to: point(event) });
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1 && range) setRange({ from: range.from, to: point(event) });
      }}
      onPointerUp={(event) => {
        if (range) apply(timesBetween(bars, range.from, point(event)));
      }}
    >
      {bars.map((bar, index) => (
        <span
          key={bar.startMs}
          className={styles.slot}
          data-listed={bar.isListed}
          data-chosen={
            range && index >= Math.min(range.from, range.to) && index <= Math.max(range.from, range.to)
          }
          // Of the bar at the pointer alone: to write the times of all of them takes 50 ms.
          onPointerEnter={({ currentTarget }) => {
            currentTarget.title = describeBar(bar);
          }}
        >
          <span className={styles.calls} style={{ height: `${(100 * bar.calls) / highest}%` }}>
            <span
              className={styles.errors}
              style={{ height: `${(100 * bar.errors) / Math.max(1, bar.calls)}%` }}
            />
          </span>
        </span>
      ))}
    </div>
  );
}

/** The times of the filter, and the period around them as of now. */
function readPeriod(filter: TraceFilter) {
  const times = readTimes(filter);
  return { times, period: choosePeriod(times, Date.now()) };
}

function readTimes(filter: TraceFilter): Times {
  const { since, until } = toRequest(filter);
  const [sinceMs, untilMs] = [Date.parse(since ?? ''), Date.parse(until ?? '')];
  return {
    ...(!Number.isNaN(sinceMs) && { sinceMs }),
    ...(!Number.isNaN(untilMs) && { untilMs }),
  };
}

function toIso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

function describeBar({ startMs, calls, errors }: Bar): string {
  const failed = errors > 0 ? `, ${formatQuantity(errors, 'error')}` : '';
  return `${formatTime(new Date(startMs).toISOString())}: ${formatQuantity(calls, 'call')}${failed}`;
}
