import { lazy, Suspense, useState } from 'react';
import { cutText } from '../../json/cut-text.js';
import { TextBlock } from '../text-block.js';
import { looksLikeMarkdown } from './looks-like-markdown.js';
import styles from './markdown.module.css';

const MarkdownNodes = lazy(async () => ({ default: (await import('./markdown-nodes.js')).MarkdownNodes }));

/** A text of a model or a user, with its Markdown rendered. Its source is one click away. */
export function MarkdownText({ text }: { text: string }) {
  const [isSource, setIsSource] = useState(false);
  // A cut inside a block would change what it is.
  const isWhole = cutText(text) === text;
  const plain = <TextBlock text={text} prose />;
  if (!isWhole || !looksLikeMarkdown(text)) return plain;
  return (
    <div className={styles.markdown}>
      {isSource ? (
        plain
      ) : (
        <Suspense fallback={plain}>
          <MarkdownNodes text={text} />
        </Suspense>
      )}
      <button
        type="button"
        className={`small plain ${styles.source ?? ''}`}
        aria-pressed={isSource}
        onClick={() => {
          setIsSource(!isSource);
        }}
      >
        Source
      </button>
    </div>
  );
}
