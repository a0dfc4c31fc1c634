import type { CreatedApiKey } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { CopyButton } from '../../shared/ui/copy-button.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import styles from './api-keys.module.css';
import { apiKeysQuery, createApiKey } from './api.js';

export function CreateApiKey() {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: createApiKey,
    onSuccess: () => client.invalidateQueries({ queryKey: apiKeysQuery.queryKey }),
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const name = new FormData(form).get('name');
    if (typeof name !== 'string') return;
    create.mutate(name.trim(), {
      onSuccess: () => {
        form.reset();
      },
    });
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
