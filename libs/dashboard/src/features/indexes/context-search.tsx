import type { ContextResult, IndexDetail } from '@dacapo/protocol';
import { useMutation } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { formatQuantity } from '../../shared/format/format-count.js';
import { ErrorNotice } from '../../shared/ui/notice.js';
import { getContext } from './api.js';
import styles from './context-search.module.css';
import { TextBlock } from '../../shared/ui/text-block.js';

/** Searches an index, as a function would. */
export function ContextSearch({ indexes }: { indexes: IndexDetail[] }) {
  const search = useMutation({ mutationFn: getContext });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    search.mutate({
      index_id: textEntry(form.get('index_id')),
      query: textEntry(form.get('query')),
      limit: Number(textEntry(form.get('limit'))),
    });
  };
  return (
    <section className={styles.search} aria-labelledby="try-out">
      <h2 id="try-out">Try a search</h2>
      <form className="fields" onSubmit={submit}>
        <label className="field">
          <span>Index</span>
          <select name="index_id">
            {indexes.map((index) => (
              <option key={index.index_id} value={index.index_id}>
                {index.name}
              </option>
            ))}
          </select>
        </label>
        <label className={`field ${styles.query ?? ''}`}>
          <span>Query</span>
          <input name="query" type="search" required placeholder="How do I retry a failed request?" />
        </label>
        <label className="field">
          <span>Results</span>
          <input name="limit" type="number" min={1} max={50} defaultValue={5} required />
        </label>
        <button type="submit" className="primary" disabled={search.isPending}>
          {search.isPending ? 'Searching …' : 'Search'}
        </button>
      </form>
      {search.isError && <ErrorNotice title="The search failed." error={search.error} />}
      {search.isSuccess && (
        <div role="status">
          <p className="muted">{formatQuantity(search.data.length, 'result')}</p>
          <ContextResults results={search.data} />
        </div>
      )}
    </section>
  );
}

function textEntry(entry: FormDataEntryValue | null): string {
  return typeof entry === 'string' ? entry : '';
}

function ContextResults({ results }: { results: ContextResult[] }) {
  if (results.length === 0) return <p>No matches in this index. Try fewer or different words.</p>;
  return (
    <ol className={styles.results}>
      {results.map((result, index) => (
        <li key={index} className={styles.result}>
          <div className={styles.resultHeader}>
            <h3 className="two-lines">{result.title}</h3>
            <code className="muted one-line">{result.source}</code>
            <span className="muted">score {result.score.toFixed(2)}</span>
          </div>
          <TextBlock text={result.content} />
        </li>
      ))}
    </ol>
  );
}
