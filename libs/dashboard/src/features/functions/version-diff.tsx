import type { FunctionVersionSummary } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SideBySide } from '../../shared/ui/comparison/side-by-side.js';
import { ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { sourceQuery } from './api.js';
import styles from './functions.module.css';
import { chooseCompared } from './versions.js';

interface VersionDiffProps {
  name: string;
  versions: readonly FunctionVersionSummary[];
}

/** The sources of two versions side by side. */
export function VersionDiff({ name, versions }: VersionDiffProps) {
  const [chosen, setChosen] = useState<[number, number]>();
  const compared = chosen ?? chooseCompared(versions);
  if (compared === undefined) return null;
  const [before, after] = compared;
  return (
    <>
      <div className={styles.compared}>
        <h2>What changed</h2>
        <VersionSelect
          label="From version"
          value={before}
          versions={versions}
          onChange={(version) => {
            setChosen([version, after]);
          }}
        />
        <VersionSelect
          label="to version"
          value={after}
          versions={versions}
          onChange={(version) => {
            setChosen([before, version]);
          }}
        />
      </div>
      <Sources name={name} before={before} after={after} />
    </>
  );
}

function Sources({ name, before, after }: { name: string; before: number; after: number }) {
  const [left, right] = [useQuery(sourceQuery(name, before)), useQuery(sourceQuery(name, after))];
  const error = left.error ?? right.error;
  if (error) return <ErrorNotice title="Could not load the sources." error={error} />;
  if (left.data === undefined || right.data === undefined) return <Loading what="sources" />;
  if (left.data === right.data) return <p className="muted">The sources are equal.</p>;
  return <SideBySide original={left.data} replayed={right.data} />;
}

interface VersionSelectProps {
  label: string;
  value: number;
  versions: readonly FunctionVersionSummary[];
  onChange: (version: number) => void;
}

function VersionSelect({ label, value, versions, onChange }: VersionSelectProps) {
  return (
    <label>
      {label}{' '}
      <select
        value={value}
        onChange={(event) => {
          onChange(Number(event.target.value));
        }}
      >
        {versions.map(({ version, is_active: isActive }) => (
          <option key={version} value={version}>
            {version}
            {isActive ? ' (active)' : ''}
          </option>
        ))}
      </select>
    </label>
  );
}
