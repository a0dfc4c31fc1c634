import type { Check } from '@dacapo/evaluation';
import { Badge } from '../../../shared/ui/badge.js';

/** The checks of a gate with limit and measured value, failed ones first. */
export function CheckTable({ checks }: { checks: readonly Check[] }) {
  const ordered = [...checks].sort((left, right) => Number(left.passed) - Number(right.passed));
  return (
    <div className="table-frame" tabIndex={0} role="group" aria-label="Checks table">
      <table aria-label="Checks">
        <thead>
          <tr>
            {['Result', 'Check', 'Limit', 'Measured'].map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ordered.map(({ name, limit, measured, passed }) => (
            <tr key={name}>
              <td>
                <Badge tone={passed ? 'ok' : 'error'}>{passed ? 'passed' : 'failed'}</Badge>
              </td>
              <th scope="row">{name}</th>
              <td>{limit}</td>
              <td>{measured}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
