import { type CreatedApiKey, type Scope, SCOPES } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { CopyButton } from '../../shared/ui/copy-button.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import styles from './api-keys.module.css';
import { apiKeysQuery, createApiKey } from './api.js';

const ABOUT: Record<Scope, string> = {
  ingest: 'send traces and scores: what an application needs',
  read: 'see and search what is stored',
  replay: 'play stored calls, keep runs and datasets; send and read as well',
  manage: 'make and revoke keys, change indexes and functions, delete',
};

export function CreateApiKey() {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: createApiKey,
    onSuccess: () => client.invalidateQueries({ queryKey: apiKeysQuery.queryKey }),
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const name = data.get('name');
    if (typeof name !== 'string') return;
    const scopes = SCOPES.filter((scope) => data.getAll('scope').includes(scope));
    create.mutate(
      { name: name.trim(), scopes },
      {
        onSuccess: () => {
          form.reset();
        },
      },
    );
  };
  return (
    <section className={`card card-padded ${styles.create ?? ''}`}>
      <form className="fields" onSubmit={submit}>
        <label className="field">
          <span>Name of the new key</span>
          <input name="name" required maxLength={100} placeholder="support-desk production" />
        </label>
        <button type="submit" className="primary" disabled={create.isPending}>
          Create key
        </button>
        <fieldset className={styles.scopes}>
          <legend>It may</legend>
          {SCOPES.map((scope) => (
            <label key={scope}>
              <input type="checkbox" name="scope" value={scope} defaultChecked={scope === 'ingest'} />
              <span>
                <strong>{scope}</strong> <span className="muted">{ABOUT[scope]}</span>
              </span>
            </label>
          ))}
        </fieldset>
      </form>
      {create.isError && <ErrorNotice title="The key was not created." error={create.error} />}
      {create.isSuccess && <ShownOnce created={create.data} />}
    </section>
  );
}

function ShownOnce({ created }: { created: CreatedApiKey }) {
  return (
    <div className={styles.created} role="status">
      <p>
        <strong>Copy “{created.name}” now: it is shown this once.</strong>
      </p>
      <p className={styles.apiKey}>
        <code className={styles.secret}>{created.api_key}</code>
        <CopyButton text={created.api_key} what="API key" />
      </p>
    </div>
  );
}
