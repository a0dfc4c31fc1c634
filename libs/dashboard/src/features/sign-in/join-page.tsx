import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { client } from '../../shared/http/client.js';
import { accountQuery } from '../../shared/account/account-query.js';
import { paths } from '../../shared/navigation/paths.js';
import { Logo } from '../../shared/ui/logo.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import { ShownOnce } from '../../shared/ui/shown-once.js';
import styles from './sign-in-page.module.css';

/** The target of an invitation link. Only the button uses the link, so link previews do not consume it. */
export function JoinPage() {
  const queryClient = useQueryClient();
  const [, goTo] = useLocation();
  const [token] = useState(() => window.location.hash.slice(1));
  useEffect(() => {
    // Remove the secret from the address bar and the history.
    window.history.replaceState(null, '', paths.join());
  }, []);
  const joining = useMutation({ mutationFn: () => client.members.join({ token }) });
  const continueToTraces = async (): Promise<void> => {
    goTo(paths.traces(), { replace: true });
    queryClient.clear();
    await queryClient.resetQueries({ queryKey: accountQuery.queryKey });
  };
  return (
    <main className={styles.page}>
      <title>Join · Dacapo</title>
      <div className={styles.form}>
        <Logo />
        {joining.isSuccess ? (
          <>
            <h1>Welcome, {joining.data.member.name}</h1>
            <p>
              You joined the account “{joining.data.account.name}” with the role {joining.data.member.role}.
              Store this code like a password: you need it to sign in again.
            </p>
            <ShownOnce name="Sign-in code" secret={joining.data.sign_in_code} what="sign-in code" />
            <button type="button" className="primary" onClick={() => void continueToTraces()}>
              Continue
            </button>
          </>
        ) : (
          <>
            <h1>Join Dacapo</h1>
            {joining.isError && <ErrorNotice title="Could not join." error={joining.error} />}
            {token === '' ? (
              <p>This link is incomplete. Copy the whole link, including everything after #.</p>
            ) : (
              <>
                <p>This link works once. It signs you in and shows your sign-in code.</p>
                <button
                  type="button"
                  className="primary"
                  disabled={joining.isPending}
                  onClick={() => {
                    joining.mutate();
                  }}
                >
                  Join
                </button>
              </>
            )}
          </>
        )}
      </div>
    </main>
  );
}
