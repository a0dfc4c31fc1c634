import type { ContextResult } from '@dacapo/protocol';
import { TextBlock } from '../../shared/ui/text-block.js';
import styles from './context-search.module.css';

export function ContextResults({ results }: { results: ContextResult[] }) {
  if (results.length === 0) return <p>Nothing in this index matches. Try fewer or other words.</p>;
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
