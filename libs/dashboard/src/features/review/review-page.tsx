import { allows, QueryLineError, type ScoreRecord, type TraceSummary } from '@dacapo/protocol';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useEffect, useState } from 'react';
import { accountQuery } from '../../shared/account/account-query.js';
import { formatCount } from '../../shared/format/format-count.js';
import type { FirstRequests } from '../../shared/http/first-requests.js';
import { usePageKeys } from '../../shared/keys/page-keys.js';
import { readQueryFilter, useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { readLine } from '../../shared/trace-filter/trace-filter.js';
import { EmptyState, ErrorNotice, Loading, LoadingRows } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { AgreementPanel } from './agreement-panel.js';
import { targetId } from './agreement.js';
import { callQuery, namedScoresQuery, queueQuery } from './api.js';
import { CallView } from './call-view.js';
import styles from './review.module.css';
import { type Choice, findScale, type Scale, SCALES, toChoice } from './scale.js';
import { useNamedScores } from './use-named-scores.js';
import { targetOf, useReview } from './use-review.js';

const PARAMETERS = ['query', 'score', 'scale'] as const;
const USUAL_NAME = 'correct';
/** Calls that are loaded before they are reached. */
const AHEAD = 5;

export const firstRequests: FirstRequests = (queries, { searchParams }) => {
  const { query, score } = readQueryFilter(searchParams, PARAMETERS);
  return [
    queries.infiniteQuery(namedScoresQuery(score || USUAL_NAME)),
    queries.infiniteQuery(queueQuery(query)).then(async ({ pages }) => {
      const [first] = pages[0]?.items ?? [];
      if (first !== undefined) await queries.query(callQuery(first));
    }),
  ];
};

/** Calls that match a query line, one at a time, to score by keys. */
export function ReviewPage() {
  const [filter, setFilter] = useQueryFilter(PARAMETERS);
  const name = filter.score || USUAL_NAME;
  const scale = findScale(filter.scale);
  const chosen = `${filter.query} ${name} ${scale.id}`;
  const problem = findProblem(filter.query);
  const { scores, ...stored } = useNamedScores(name);
  return (
    <Page title="Review" about="Score calls by keys, and see how far the judge agrees with people.">
      <Settings
        key={`settings ${chosen}`}
        query={filter.query}
        name={name}
        scale={scale}
        problem={problem}
        onChange={setFilter}
      />
      {stored.isError && (
        <ErrorNotice
          title="Could not load the scores."
          error={stored.error}
          onRetry={() => void stored.refetch()}
        />
      )}
      {stored.isPending && <Loading what="scores" />}
      {scores && problem === undefined && (
        <Queue key={`queue ${chosen}`} line={filter.query} name={name} scale={scale} scores={scores} />
      )}
      {scores && <AgreementPanel name={name} scale={scale} scores={scores} />}
    </Page>
  );
}

/** What is wrong with a query line. */
function findProblem(line: string): string | undefined {
  try {
    readLine(line);
    return undefined;
  } catch (error) {
    if (error instanceof QueryLineError) return error.message;
    throw error;
  }
}

interface SettingsProps {
  query: string;
  name: string;
  scale: Scale;
  problem: string | undefined;
  onChange: (change: { query: string; score: string; scale: string }) => void;
}

/** Which calls are scored, and as what. Applied on Enter. */
function Settings({ query, name, scale, problem, onChange }: SettingsProps) {
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (field: string): string => {
      const value = form.get(field);
      return typeof value === 'string' ? value.trim() : '';
    };
    onChange({ query: text('query'), score: text('score'), scale: text('scale') });
  };
  return (
    <form className={`fields ${styles.settings ?? ''}`} role="search" onSubmit={submit}>
      <label className={`field ${styles.query ?? ''}`}>
        <span>Calls</span>
        <input
          name="query"
          type="search"
          defaultValue={query}
          placeholder="words, key:…, status:ok, since:7d"
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : 'query-problem'}
        />
      </label>
      <label className="field">
        <span>Score</span>
        <input name="score" defaultValue={name} maxLength={100} required />
      </label>
      <label className="field">
        <span>Scale</span>
        <select name="scale" defaultValue={scale.id}>
          {SCALES.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Apply</button>
      {problem !== undefined && (
        <p id="query-problem" role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </form>
  );
}

interface QueueProps {
  line: string;
  name: string;
  scale: Scale;
  scores: readonly ScoreRecord[];
}

function Queue({ line, name, scale, scores }: QueueProps) {
  const account = useQuery(accountQuery);
  const query = useInfiniteQuery(queueQuery(line));
  const own = account.data?.member?.name ?? account.data?.name ?? '';
  const review = useReview(name, { kind: 'person', name: own });
  const [chosenPlace, setPlace] = useState<number>();
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const traces = data?.pages.flatMap((page) => page.items) ?? [];
  const mayScore = account.data != null && allows(account.data.scopes, 'ingest');
  const stored = (one: TraceSummary): Choice | undefined => {
    const wanted = targetId(targetOf(one));
    const found = scores.find(
      (score) => targetId(score) === wanted && score.author.kind === 'person' && score.author.name === own,
    );
    return found && toChoice(scale, found.value);
  };
  const chosen = (one: TraceSummary): Choice | undefined => {
    const value = review.valueOf(one);
    return value === undefined ? stored(one) : toChoice(scale, value);
  };
  const findUnscored = (from: number): number => {
    const found = traces.findIndex((one, index) => index >= from && chosen(one) === undefined);
    return found < 0 ? traces.length : found;
  };
  const place = chosenPlace ?? findUnscored(0);
  const trace = traces[place];
  // The next page is there before the reader is. A page of a text search may be empty before the last.
  const isShort = place + AHEAD >= traces.length;
  useEffect(() => {
    if (isShort && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [isShort, hasNextPage, isFetching, isError, fetchNextPage]);
  const move = (step: number) => {
    setPlace(Math.max(0, Math.min(place + step, traces.length - 1)));
  };
  const skip = () => {
    setPlace(findUnscored(place + 1));
  };
  const choose = (choice: Choice) => {
    if (trace === undefined || !mayScore) return;
    review.score({ trace, value: choice.value, before: chosen(trace)?.value });
    skip();
  };
  const undo = () => {
    const undone = review.undo();
    if (undone !== undefined) setPlace(traces.indexOf(undone));
  };
  usePageKeys([
    ...scale.choices.map((choice) => ({
      key: choice.key,
      action: `score ${choice.label}`,
      run: () => {
        choose(choice);
      },
    })),
    {
      key: 'j',
      action: 'next call',
      run: () => {
        move(1);
      },
    },
    {
      key: 'k',
      action: 'previous call',
      run: () => {
        move(-1);
      },
    },
    { key: 's', action: 'skip the call', run: skip },
    { key: 'u', action: 'undo the last score', run: undo },
  ]);
  if (query.isPending || account.isPending) return <LoadingRows what="calls" />;
  if (query.isError)
    return (
      <ErrorNotice
        title="Could not load the calls."
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  if (traces.length === 0 && !hasNextPage) {
    return (
      <EmptyState title="No calls match.">
        <p>Change the query above. Without a query, the newest calls are listed.</p>
      </EmptyState>
    );
  }
  return (
    <section aria-label="Calls to score" className={styles.queue}>
      {trace ? (
        <CallView key={trace.id} trace={trace} />
      ) : (
        <EmptyState title="All calls are scored or skipped.">
          <p>Press k to go back, or change the query.</p>
        </EmptyState>
      )}
      {review.failure && <ErrorNotice title="Could not score the call." error={review.failure} />}
      {!mayScore && <p className="muted">You cannot score calls. Ask an admin for the role developer.</p>}
      <div className={styles.keys} role="group" aria-label={`Score ${name}`}>
        <span className={styles.question}>{name}?</span>
        {scale.choices.map((choice) => (
          <button
            key={choice.label}
            type="button"
            aria-keyshortcuts={choice.key}
            aria-pressed={trace !== undefined && chosen(trace) === choice}
            disabled={!mayScore || trace === undefined}
            onClick={() => {
              choose(choice);
            }}
          >
            {choice.label} {choice.key !== choice.label && <kbd>{choice.key}</kbd>}
          </button>
        ))}
        <button
          type="button"
          className="plain"
          aria-keyshortcuts="s"
          disabled={trace === undefined}
          onClick={skip}
        >
          Skip <kbd>s</kbd>
        </button>
        <button
          type="button"
          className="plain"
          aria-keyshortcuts="u"
          disabled={review.given.length === 0}
          onClick={undo}
        >
          Undo <kbd>u</kbd>
        </button>
        <span className={`muted ${styles.progress ?? ''}`} role="status">
          {trace === undefined ? '' : `Call ${formatCount(place + 1)} of ${formatCount(traces.length)}`}
          {hasNextPage && trace !== undefined && ' or more'}
          {review.given.length > 0 && `, ${formatCount(review.given.length)} scored`}
        </span>
      </div>
    </section>
  );
}
