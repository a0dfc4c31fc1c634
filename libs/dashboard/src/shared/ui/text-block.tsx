import { useState } from 'react';
import { formatBytes } from '../format/format-count.js';
import { cutText } from '../json/cut-text.js';
import { jsonTokens } from '../json/json-tokens.js';
import styles from './text-block.module.css';

interface TextBlockProps {
  text: string;
  /** Colour it as JSON. */
  json?: boolean;
}

/** A recorded text, as text and never as markup. A long one is cut until the reader asks for all of it. */
export function TextBlock({ text, json = false }: TextBlockProps) {
  const [whole, setWhole] = useState(false);
  const shown = whole ? text : cutText(text);
  const isCut = shown.length < text.length;
  return (
    <div className={styles.block}>
      <pre className={styles.text} tabIndex={0}>
        {json && !whole ? <JsonText text={shown} /> : shown}
      </pre>
      {isCut && (
        <p className={styles.more}>
          The first {formatBytes(shown.length)} of {formatBytes(text.length)}.{' '}
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
