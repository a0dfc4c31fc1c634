import { useState } from 'react';
import { formatBytes } from '../format/format-count.js';
import { cutText, textChunks } from '../json/cut-text.js';
import { jsonTokens } from '../json/json-tokens.js';
import styles from './text-block.module.css';

interface TextBlockProps {
  text: string;
  /** Colour it as JSON. */
  json?: boolean;
  /** Uses the page font and no background. */
  prose?: boolean;
}

/**
 * A recorded text, never rendered as markup. A long text is cut until the reader clicks "Show all". The page scrolls, not
 * the block.
 */
export function TextBlock({ text, json = false, prose = false }: TextBlockProps) {
  const [whole, setWhole] = useState(false);
  const shown = whole ? text : cutText(text);
  const isCut = shown.length < text.length;
  return (
    <div className={prose ? undefined : styles.block}>
      <pre className={`${styles.text ?? ''} ${prose ? (styles.prose ?? '') : ''}`}>
        {whole ? <Chunks text={text} /> : json ? <JsonText text={shown} /> : shown}
      </pre>
      {isCut && (
        <p className={styles.more}>
          Showing {formatBytes(shown.length)} of {formatBytes(text.length)}.{' '}
          <button
            type="button"
            className="small"
            onClick={() => {
              setWhole(true);
            }}
          >
            Show all
          </button>
        </p>
      )}
    </div>
  );
}

/** With `content-visibility`, the browser skips the layout of chunks out of view, so megabytes do not block the page. */
function Chunks({ text }: { text: string }) {
  return textChunks(text).map((chunk, index) => (
    <span key={index} className={styles.chunk}>
      {chunk}
    </span>
  ));
}

function JsonText({ text }: { text: string }) {
  return jsonTokens(text).map(({ kind, text: part }, index) =>
    kind === 'plain' ? (
      part
    ) : (
      <span key={index} className={styles[kind]}>
        {part}
      </span>
    ),
  );
}
