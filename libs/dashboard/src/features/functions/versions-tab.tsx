import { type FunctionVersionSummary, mayDecide } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accountQuery } from '../../shared/account/account-query.js';
import { EmptyState, ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';
import { Snippet } from '../../shared/ui/snippet.js';
import { Time } from '../../shared/ui/time.js';
import { ActivateDialog } from './activate-dialog.js';
import { versionsQuery } from './api.js';
import styles from './functions.module.css';
import { VersionDiff } from './version-diff.js';
import { findActive } from './versions.js';

/** The versions of a native function: which one is active, what changed, and how to get back. */
export function VersionsTab({ functionKey: name }: { functionKey: string }) {
  const query = useQuery(versionsQuery(name));
  const account = useQuery(accountQuery);
  const [activated, setActivated] = useState<FunctionVersionSummary>();
  if (query.isError) return <ErrorNotice title="Could not load the versions." error={query.error} />;
  if (query.isPending) return <LoadingRows what="versions" />;
  const versions = query.data;
  if (versions.length === 0) return <NoVersions />;
  const active = findActive(versions);
  const mayActivate = account.data != null && mayDecide(account.data);
  return (
    <section className={styles.versions} aria-label="Versions">
      <div className={styles.versionHead}>
        <h2>{active === undefined ? 'No version is active' : `Version ${active.version} is active`}</h2>
        {!mayActivate && (
          <p className="muted">
            A developer or admin, or a key with the scope manage, can activate versions.
          </p>
        )}
      </div>
      <div className="table-frame" tabIndex={0} role="group" aria-label="Versions, table">
        <table>
          <thead>
            <tr>
              <th>Version</th>
              <th>Last activated</th>
              <th>Created</th>
              <th>Note</th>
              <th>
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {versions.map((version) => (
              <VersionRow
                key={version.version}
                version={version}
                onActivate={mayActivate && !version.is_active ? setActivated : undefined}
              />
            ))}
          </tbody>
        </table>
      </div>
      <VersionDiff name={name} versions={versions} />
      {activated && (
        <ActivateDialog
          version={activated}
          active={active}
          onClose={() => {
            setActivated(undefined);
          }}
        />
      )}
    </section>
  );
}

interface VersionRowProps {
  version: FunctionVersionSummary;
  onActivate: ((version: FunctionVersionSummary) => void) | undefined;
}

function VersionRow({ version, onActivate }: VersionRowProps) {
  const { version: no, is_active: isActive, activated_at: times, created_at, note } = version;
  return (
    <tr data-selected={isActive}>
      <th scope="row">
        Version {no}
        {isActive && <span className="muted"> active</span>}
      </th>
      <td>{times[0] === undefined ? <span className="muted">never</span> : <Time at={times[0]} />}</td>
      <td>
        <Time at={created_at} />
      </td>
      <td>
        <span className="two-lines">{note}</span>
      </td>
      <td className={styles.actions}>
        {onActivate && (
          <button
            type="button"
            className="small"
            data-row
            onClick={() => {
              onActivate(version);
            }}
          >
            Activate<span className="visually-hidden"> version {no}</span>
          </button>
        )}
      </td>
    </tr>
  );
}

function NoVersions() {
  return (
    <EmptyState title="This function has no versions.">
      <p>
        Native functions have versions, which you activate here. Your own functions change with your releases.
      </p>
      <Snippet title="Add a native function" code="dacapo functions push classify.baml" />
    </EmptyState>
  );
}
