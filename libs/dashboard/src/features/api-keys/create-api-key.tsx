import { type CreateApiKeyRequest, MOST_REQUESTS_PER_MINUTE, type Scope, SCOPES } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { client } from '../../shared/http/client.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import { ShownOnce } from '../../shared/ui/shown-once.js';
import styles from './api-keys.module.css';
import { apiKeysQuery } from './api.js';

const ABOUT: Record<Scope, string> = {
  ingest: 'send traces and scores: all that an application needs',
  read: 'view and search stored data',
  replay: 'run recorded calls, store runs and datasets; includes ingest and read',
  manage: 'change keys, indexes and functions; delete data',
};

export function CreateApiKey() {
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: (key: CreateApiKeyRequest) => client.apiKeys.create(key),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey }),
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    create.mutate(readRequest(new FormData(form)), {
      onSuccess: () => {
        form.reset();
      },
    });
  };
  return (
    <section className={styles.create}>
      <form className="fields" onSubmit={submit}>
        <label className="field">
          <span>Key name</span>
          <input name="name" required maxLength={100} placeholder="support-desk production" />
        </label>
        <label className="field">
          <span>Expires</span>
          <select name="days" defaultValue="">
            <option value="">Never</option>
            <option value="30">In 30 days</option>
            <option value="90">In 90 days</option>
            <option value="365">In 1 year</option>
          </select>
        </label>
        <label className="field">
          <span>Requests per minute</span>
          <input name="limit" type="number" min={1} max={MOST_REQUESTS_PER_MINUTE} placeholder="No limit" />
        </label>
        <fieldset className={styles.scopes}>
          <legend>Scopes</legend>
          {SCOPES.map((scope) => (
            <label key={scope}>
              <input type="checkbox" name="scope" value={scope} defaultChecked={scope === 'ingest'} />
              <span>
                <strong>{scope}</strong> <span className="muted">{ABOUT[scope]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <button type="submit" className="primary" disabled={create.isPending}>
          Create key
        </button>
      </form>
      {create.isError && <ErrorNotice title="Could not create the key." error={create.error} />}
      {create.isSuccess && <ShownOnce name={create.data.name} secret={create.data.api_key} what="API key" />}
    </section>
  );
}

const DAY_MS = 24 * 3600 * 1000;

function readRequest(form: FormData): CreateApiKeyRequest {
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const [days, limit] = [text('days'), text('limit')];
  return {
    name: text('name'),
    scopes: SCOPES.filter((scope) => form.getAll('scope').includes(scope)),
    ...(days !== '' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
    ...(limit !== '' && { requests_per_minute: Number(limit) }),
  };
}
