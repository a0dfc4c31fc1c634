import type { RetentionPolicy, SetRetentionRequest } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { DeletionDialog } from '../../shared/deletions/deletion-dialog.js';
import { formatQuantity } from '../../shared/format/format-count.js';
import { KeySelect } from '../../shared/trace-function-key/key-select.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import { retentionQuery, setRetention } from './api.js';
import styles from './data-page.module.css';

/** A hundred years, the limit of the service. */
const MAX_DAYS = 36_500;

interface NewRule {
  days: number;
  key: string;
}

/** Retention rules of the account and of single keys. */
export function Retention({ policy: { days, keys } }: { policy: RetentionPolicy }) {
  const client = useQueryClient();
  const [key, setKey] = useState('');
  const [rule, setRule] = useState<NewRule>();
  const set = async (request: SetRetentionRequest): Promise<void> => {
    client.setQueryData(retentionQuery.queryKey, await setRetention(request));
  };
  const remove = useMutation({ mutationFn: set });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const chosen = Number(new FormData(event.currentTarget).get('days'));
    setRule({ days: chosen, key });
  };
  const rules: { days: number; trace_function_key?: string }[] = [
    ...(days === undefined ? [] : [{ days }]),
    ...keys,
  ];
  return (
    <section className={styles.section} aria-label="Retention">
      <div>
        <h2>Retention</h2>
        <p className="muted">
          {days === undefined
            ? 'Traces are kept until someone deletes them'
            : `Traces are kept for ${formatQuantity(days, 'day')}`}
          {keys.length > 0 && ', except traces of keys with their own rule'}. Rules do not delete datasets or
          accepted outcomes.
        </p>
      </div>
      {rules.length > 0 && (
        <div className="table-frame">
          <table>
            <thead>
              <tr>
                <th>Key</th>
                <th>Kept for</th>
                <th className="number">
                  <span className="visually-hidden">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rules.map(({ trace_function_key: of, days: kept }) => (
                <tr key={of ?? ''}>
                  <td>{of === undefined ? 'All keys' : <code className="two-lines">{of}</code>}</td>
                  <td>{formatQuantity(kept, 'day')}</td>
                  <td className="number">
                    <button
                      type="button"
                      className="small"
                      disabled={remove.isPending}
                      onClick={() => {
                        remove.mutate({ days: null, ...(of !== undefined && { trace_function_key: of }) });
                      }}
                    >
                      Remove<span className="visually-hidden"> rule for {of ?? 'all keys'}</span>
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {remove.isError && <ErrorNotice title="Could not remove the rule." error={remove.error} />}
      <form className="fields" onSubmit={submit}>
        <KeySelect value={key} none="All keys" onChange={setKey} />
        <label className="field">
          <span>Keep for (days)</span>
          <input name="days" type="number" required min={1} max={MAX_DAYS} className={styles.days} />
        </label>
        <button type="submit">Set rule …</button>
      </form>
      {rule !== undefined && (
        <DeletionDialog
          title={`Keep traces of ${rule.key === '' ? 'all keys' : rule.key} for ${formatQuantity(rule.days, 'day')}?`}
          counts={{ rule: { days: rule.days, ...(rule.key !== '' && { trace_function_key: rule.key }) } }}
          word={String(rule.days)}
          action="Set rule"
          failure="Could not set the rule."
          mayBeEmpty
          onConfirm={() => set({ days: rule.days, ...(rule.key !== '' && { trace_function_key: rule.key }) })}
          onClose={() => {
            setRule(undefined);
          }}
        >
          <p>
            {rule.key === '' && keys.length > 0 && 'Traces of keys with their own rule are not counted. '}
            Older traces are deleted every hour, with payloads, metadata, scores and the content of run items.
            Datasets and accepted outcomes are not deleted.
          </p>
          <p>Removing the rule does not restore deleted traces.</p>
        </DeletionDialog>
      )}
    </section>
  );
}
