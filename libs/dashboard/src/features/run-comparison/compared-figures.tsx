import { formatP } from '@dacapo/evaluation';
import type { ComparedFigure, RunFigures } from '@dacapo/protocol';
import { formatCost } from '../../shared/format/format-cost.js';
import { formatCount } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';

interface Row {
  name: string;
  figure: ComparedFigure;
  format: (value: number) => string;
}

/** Formats negative numbers with a minus sign as wide as a plus. */
const signed =
  (format: (size: number) => string) =>
  (value: number): string =>
    `${value < 0 ? '−' : ''}${format(Math.abs(value))}`;
const percent = signed((size) => `${(size * 100).toFixed(1)} %`);
const decimals = signed((size) =>
  size < 1000 ? String(Number(size.toPrecision(3))) : formatCount(Math.round(size)),
);
const dollars = signed(formatCost);
const duration = signed(formatDuration);

/** The means of both runs, with confidence intervals of their differences. */
export function ComparedFigures({ figures }: { figures: RunFigures }) {
  const rows: Row[] = [
    { name: 'Same as the baseline', figure: figures.same, format: percent },
    ...Object.entries(figures.scores).map(([name, figure]) => ({ name, figure, format: decimals })),
    { name: 'Duration', figure: figures.duration_ms, format: duration },
    { name: 'Tokens', figure: figures.tokens, format: decimals },
    { name: 'Cost', figure: figures.cost_usd, format: dollars },
  ].filter(({ figure: { here, there, unknown } }) => (here ?? there ?? unknown) !== undefined);
  if (rows.length === 0) return null;
  return (
    <div className="table-frame" tabIndex={0} role="group" aria-label="Figures table">
      <table aria-label="Figures of both runs">
        <thead>
          <tr>
            <th>Mean per call</th>
            <th className="number">This run</th>
            <th className="number">Other run</th>
            <th className="number">Difference</th>
            <th className="number">{percent(figures.confidence).replace('.0', '')} CI</th>
            <th className="number">p</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <FigureRow key={row.name} {...row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FigureRow({ name, figure: { here, there, delta, unknown }, format }: Row) {
  const interval = delta?.interval;
  return (
    <tr>
      <td>{name}</td>
      <td className="number">
        {here ? format(here.mean) : '–'}
        <Unknown count={unknown?.here} />
      </td>
      <td className="number">
        {there ? format(there.mean) : '–'}
        <Unknown count={unknown?.there} />
      </td>
      <td className="number">{delta ? format(delta.mean) : '–'}</td>
      <td className="number nowrap">
        {interval ? `${format(interval.low)} to ${format(interval.high)}` : '–'}
      </td>
      <td className="number">{delta ? formatP(delta.p).replace('p = ', '') : '–'}</td>
    </tr>
  );
}

/** The number of calls without this figure. */
function Unknown({ count = 0 }: { count: number | undefined }) {
  if (count === 0) return null;
  return (
    <span
      className="muted nowrap"
      title="Their model calls have no usage, have no price or were not recorded"
    >
      {` (${formatCount(count)} unknown)`}
    </span>
  );
}
