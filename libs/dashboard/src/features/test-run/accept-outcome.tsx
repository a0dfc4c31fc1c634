import type { TestRunItemRecord } from '@dacapo/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';
import { ITEM_KEY } from '../../shared/test-run/queries.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import { Time } from '../../shared/ui/time.js';
import styles from './accept-outcome.module.css';
import { itemsKey } from './api/test-run-items.js';

interface AcceptOutcomeProps {
  testRunId: string;
  item: TestRunItemRecord;
}

/** Accepts the outcome of the candidate, or undoes the acceptance. */
export function AcceptOutcome({ testRunId, item }: AcceptOutcomeProps) {
  const { item_no, repetition, acceptance, verdict, error } = item;
  const cache = useQueryClient();
  const onSuccess = () =>
    Promise.all([[ITEM_KEY], itemsKey(testRunId)].map((queryKey) => cache.invalidateQueries({ queryKey })));
  const target = { id: testRunId, item_no, repetition };
  const accept = useMutation({ mutationFn: () => client.testRuns.accept(target), onSuccess });
  const undo = useMutation({ mutationFn: () => client.testRuns.takeBack(target), onSuccess });
  if (acceptance) {
    const { author, accepted_at, note } = acceptance;
    return (
      <section className={styles.accept} role="group" aria-label="Accepted">
        <p>
          Accepted by <strong>{author.name}</strong> <Time at={accepted_at} />
          {note !== undefined && `: ${note}`}. Later runs with the baseline <code>accepted</code> expect this
          outcome.
        </p>
        <button
          type="button"
          disabled={undo.isPending}
          onClick={() => {
            undo.mutate();
          }}
        >
          Undo
        </button>
        {undo.error && <ErrorNotice title="Could not undo the acceptance." error={undo.error} />}
      </section>
    );
  }
  if (verdict === 'same') return null;
  return (
    <section className={styles.accept} role="group" aria-label="Accept">
      <button
        type="button"
        disabled={accept.isPending}
        onClick={() => {
          accept.mutate();
        }}
      >
        Accept {error ? 'error' : 'output'}
      </button>
      <p className="muted">
        Later runs with the baseline <code>accepted</code> expect this outcome. This run does not change.
      </p>
      {accept.error && <ErrorNotice title="Could not accept the outcome." error={accept.error} />}
    </section>
  );
}
