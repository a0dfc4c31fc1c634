import type { RetentionPolicy, SetRetentionRequest } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { DeletionDialog } from '../../shared/deletions/deletion-dialog.js';
import { formatCountOf } from '../../shared/format/format-count.js';
import { KeySelect } from '../../shared/trace-function-key/key-select.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import { retentionQuery, setRetention } from './api.js';
import styles from './data-page.module.css';

/** A hundred years: longer is for ever. */
const MOST_DAYS = 36_500;

interface NewRule {
  days: number;
  key: string;
}

/** How long traces are kept, of the account and of single keys. */
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
            ? 'Traces are kept until somebody deletes them'
            : `Traces are kept for ${formatCountOf(days, 'day')}`}
          {keys.length > 0 && ', except those of keys with a rule of their own'}. Datasets and accepted
          outcomes stay.
        </p>
      </div>
      {rules.length > 0 && (
        <div className="card table-frame">
          <table>
            <thead>
              <tr>
                <th>Traces</th>
                <th>Are kept for</th>
                <th className="number">
                  <span className="visually-hidden">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rules.map(({ trace_function_key: of, days: kept }) => (
                <tr key={of ?? ''}>
                  <td>{of === undefined ? 'of the account' : <code className="two-lines">{of}</code>}</td>
                  <td>{formatCountOf(kept, 'day')}</td>
                  <td className="number">
                    <button
                      type="button"
                      className="small"
                      disabled={remove.isPending}
                      onClick={() => {
                        remove.mutate({ days: null, ...(of !== undefined && { trace_function_key: of }) });
                      }}
                    >
                      Remove<span className="visually-hidden"> the rule {of ?? 'of the account'}</span>
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {remove.isError && <ErrorNotice title="The rule was not removed." error={remove.error} />}
      <form className="card card-padded fields" onSubmit={submit}>
        <KeySelect value={key} none="Of the account" onChange={setKey} />
        <label className="field">
          <span>Kept for, in days</span>
          <input name="days" type="number" required min={1} max={MOST_DAYS} className={styles.days} />
        </label>
        <button type="submit">Set rule …</button>
      </form>
      {rule !== undefined && (
        <DeletionDialog
          title={`Keep traces ${rule.key === '' ? 'of the account' : `of ${rule.key}`} for ${formatCountOf(rule.days, 'day')}?`}
          counts={{ rule: { days: rule.days, ...(rule.key !== '' && { trace_function_key: rule.key }) } }}
          word={String(rule.days)}
          action="Set the rule"
          failure="The rule was not set."
          mayBeEmpty
          onConfirm={() => set({ days: rule.days, ...(rule.key !== '' && { trace_function_key: rule.key }) })}
          onClose={() => {
            setRule(undefined);
          }}
        >
          <p>
            {rule.key === '' &&
              keys.length > 0 &&
              'Traces of keys with a rule of their own are not counted. '}
            What is too old goes within the hour, and from then on every hour: payloads, metadata, scores, and
            the content of items of test runs. Datasets and accepted outcomes stay.
          </p>
          <p>What went cannot be brought back by removing the rule.</p>
        </DeletionDialog>
      )}
    </section>
  );
}
