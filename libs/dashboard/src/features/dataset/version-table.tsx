import type { DatasetVersion } from '@dacapo/protocol';
import { formatCount } from '../../shared/format/format-count.js';
import { Time } from '../../shared/ui/time.js';
import styles from './dataset-page.module.css';

interface VersionTableProps {
  versions: DatasetVersion[];
  shown: number;
  onChoose: (version: number) => void;
}

/** The versions of a dataset. Choosing one shows its items. */
export function VersionTable({ versions, shown, onChoose }: VersionTableProps) {
  return (
    <section className={styles.items} aria-label="Versions">
      <h2>Versions</h2>
      <div className={`table-frame ${styles.versions ?? ''}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Version</th>
              <th scope="col" className="number">
                Items
              </th>
              <th scope="col" className="number">
                Added
              </th>
              <th scope="col" className="number">
                Removed
              </th>
              <th scope="col">Based on</th>
              <th scope="col">Note</th>
              <th scope="col">Created</th>
            </tr>
          </thead>
          <tbody>
            {versions.map(({ version, base, item_count, added, removed, note, created_at }) => (
              <tr key={version} data-shown={version === shown}>
                <th scope="row">
                  <button
                    type="button"
                    className="small plain"
                    aria-pressed={version === shown}
                    onClick={() => {
                      onChoose(version);
                    }}
                  >
                    Version {version}
                  </button>
                </th>
                <td className="number">{formatCount(item_count)}</td>
                <td className="number">{added === 0 ? '–' : `+${formatCount(added)}`}</td>
                <td className="number">{removed === 0 ? '–' : `−${formatCount(removed)}`}</td>
                <td className="nowrap">{base === 0 ? '–' : `version ${base}`}</td>
                <td>
                  <span className="two-lines">{note}</span>
                </td>
                <td>
                  <Time at={created_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
