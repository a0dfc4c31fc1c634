import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { SIGN_IN_CODE_PREFIX } from '@dacapo/protocol';
import { client } from '../../shared/http/client.js';
import { accountQuery } from '../../shared/account/account-query.js';
import { Logo } from '../../shared/ui/logo.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import styles from './sign-in-page.module.css';

interface SignInPageProps {
  /** The collector rejected the one-time link of this visit. */
  linkWasRefused: boolean;
}

export function SignInPage({ linkWasRefused }: SignInPageProps) {
  const queryClient = useQueryClient();
  const mutation = useMutation({
    mutationFn: (secret: string) =>
      client.browserSessions.signIn(
        secret.startsWith(SIGN_IN_CODE_PREFIX) ? { sign_in_code: secret } : { api_key: secret },
      ),
    onSuccess: () => queryClient.resetQueries({ queryKey: accountQuery.queryKey }),
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const secret = new FormData(event.currentTarget).get('secret');
    if (typeof secret === 'string') mutation.mutate(secret.trim());
  };
  return (
    <main className={styles.page}>
      <title>Sign in · Dacapo</title>
      <form className={styles.form} onSubmit={submit}>
        <Logo />
        <h1>Sign in</h1>
        {linkWasRefused && !mutation.isError && (
          <p className={styles.refused} role="alert">
            This sign-in link was already used or has expired. Restart the collector for a new one, or enter
            an API key.
          </p>
        )}
        {mutation.isError && <ErrorNotice title="Could not sign in." error={mutation.error} />}
        <label className="field">
          <span>API key or sign-in code</span>
          <input
            name="secret"
            type="password"
            required
            autoFocus
            autoComplete="current-password"
            spellCheck={false}
          />
        </label>
        <button type="submit" className="primary" disabled={mutation.isPending}>
          {mutation.isPending ? 'Signing in …' : 'Sign in'}
        </button>
        <p className="muted">
          Lost your sign-in code? Ask an admin for a new link. The collector prints a one-time sign-in link on
          every start, and an API key on the first. A key needs the scope read. Its scopes limit what you can
          do here.
        </p>
      </form>
    </main>
  );
}
