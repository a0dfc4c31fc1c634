import type { TraceSummary } from '@dacapo/protocol';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { accountQuery } from '../account/account-query.js';
import { formatDuration } from '../format/format-duration.js';
import { client } from '../http/client.js';
import { type PageKey, usePageKeys } from '../keys/page-keys.js';
import { paths } from '../navigation/paths.js';
import { CopyButton } from '../ui/copy-button.js';
import { ErrorNotice } from '../ui/notice.js';
import { Snippet } from '../ui/snippet.js';
import { SpanStatus } from '../ui/span-status.js';
import { SpanTypeIcon } from '../ui/span-type.js';
import { TabList } from '../ui/tab-list.js';
import styles from './first-run.module.css';
import { SETUP_PATHS, SHELLS, type Shell, type SetupPath } from './setup-code.js';

const NO_KEY = '<your key>';

const KEYS: readonly PageKey[] = [
  {
    key: 'c',
    action: 'copy the lines, with a new key',
    run: () => {
      document.querySelector<HTMLElement>('[role=tabpanel] figcaption button')?.click();
    },
  },
];
const [FIRST_PATH] = SETUP_PATHS;

interface FirstRunProps {
  /** The first trace, when it has arrived. */
  trace: TraceSummary | undefined;
  onShowList: () => void;
}

/** The lines that send a first call, with a key in place, and the trace of that call when it arrives. */
export function FirstRun({ trace, onShowList }: FirstRunProps) {
  const [path, setPath] = useState<SetupPath>(FIRST_PATH);
  const [shell, setShell] = useState<Shell>(navigator.platform.startsWith('Win') ? 'PowerShell' : 'bash');
  const account = useQuery(accountQuery);
  // Only this page has the key: the collector stores its hash.
  const create = useMutation({
    mutationFn: () => client.apiKeys.create({ name: 'First run', scopes: ['ingest'] }),
  });
  const apiKey = create.data?.api_key;
  usePageKeys(KEYS);
  const code = useMemo(() => toCode(path, shell, apiKey), [path, shell, apiKey]);
  const mayCreate = account.data?.scopes.includes('manage') === true;
  const createKey = async (): Promise<string> => toCode(path, shell, (await create.mutateAsync()).api_key);
  const copied =
    mayCreate && apiKey === undefined ? { text: createKey, verb: 'Create key and copy' } : { text: code };
  return (
    <section className={styles.firstRun} aria-labelledby="first-run">
      <h2 id="first-run">Send your first call</h2>
      <TabList label="Ways to send a call" items={SETUP_PATHS} shown={path} onShow={setPath}>
        <p className={styles.about}>{path.about}</p>
        <Snippet
          title="Lines for a terminal"
          head={<ShellSelect shell={shell} onChange={setShell} />}
          copy={<CopyButton what="lines for a terminal" isPrimary {...copied} />}
          code={code}
        />
      </TabList>
      {create.isError && <ErrorNotice title="Could not create the key." error={create.error} />}
      <p className="muted">
        {apiKey !== undefined &&
          'The key is shown only now. It can send traces and scores, and nothing else. '}
        {apiKey === undefined && mayCreate && 'The key can send traces and scores, and nothing else. '}
        {account.isSuccess &&
          !mayCreate &&
          'You cannot create keys. Ask an admin for one with the scope ingest. '}
        Version 0.1.0 is not on npm yet: replace the install line as the README says under “Install”.
      </p>
      <div className={styles.arrival} role="status">
        {trace === undefined ? (
          <p className={styles.waiting}>Waiting for your first call …</p>
        ) : (
          <FirstTrace trace={trace} onShowList={onShowList} />
        )}
      </div>
    </section>
  );
}

function toCode(path: SetupPath, shell: Shell, apiKey = NO_KEY): string {
  return path.toCode({ shell, apiKey, serviceUrl: window.location.origin });
}

interface ShellSelectProps {
  shell: Shell;
  onChange: (shell: Shell) => void;
}

function ShellSelect({ shell, onChange }: ShellSelectProps) {
  return (
    <select
      aria-label="Shell"
      value={shell}
      onChange={({ target: { value } }) => {
        onChange(SHELLS.find((each) => each === value) ?? shell);
      }}
    >
      {SHELLS.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}

interface FirstTraceProps {
  trace: TraceSummary;
  onShowList: () => void;
}

function FirstTrace({ trace, onShowList }: FirstTraceProps) {
  const { id, name, type, status, duration_ms: ms } = trace;
  return (
    <>
      <p className={styles.trace}>
        <strong>Your first call arrived.</strong>
        <SpanTypeIcon type={type} />
        <span className="one-line">{name}</span>
        <SpanStatus status={status} />
        <span className="muted">{formatDuration(ms)}</span>
      </p>
      <div className={styles.next}>
        <Link className="button primary" href={paths.trace(id)}>
          Open the trace
        </Link>
        <button type="button" onClick={onShowList}>
          Show all traces
        </button>
      </div>
    </>
  );
}
