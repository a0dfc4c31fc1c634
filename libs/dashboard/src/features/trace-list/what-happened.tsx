import type { TraceSummary } from '@dacapo/protocol';
import { Marked } from '../../shared/ui/marked.js';
import { MarkedSnippet } from './marked-snippet.js';
import styles from './trace-table.module.css';

/** Where the text matches; else the error, or the input and the output. */
export function WhatHappened({ trace, search }: { trace: TraceSummary; search: string }) {
  const call = trace.first_call ?? trace;
  const snippet = trace.first_call?.snippet;
  const { input_preview: input, output_preview: output } = call;
  const error = call.error_preview ?? (trace.first_call === undefined ? trace.error_preview : undefined);
  if (snippet !== undefined && snippet.field !== 'name') {
    return (
      <span
        className={`${styles.line ?? ''} ${snippet.field === 'error' ? (styles.error ?? '') : ''}`}
        title={snippet.text}
      >
        {snippet.field !== 'error' && <span className="muted">{snippet.field}: </span>}
        <MarkedSnippet snippet={snippet} />
      </span>
    );
  }
  if (error !== undefined) {
    return (
      <span className={`${styles.line ?? ''} ${styles.error ?? ''}`} title={error}>
        <Marked text={error} search={search} />
      </span>
    );
  }
  return (
    <>
      {input !== undefined && (
        <span className={`mono ${styles.line ?? ''} ${styles.input ?? ''}`}>
          <Marked text={withoutBrackets(input)} search={search} />
        </span>
      )}
      {output !== undefined && (
        <span className={`mono muted ${styles.line ?? ''}`}>
          <span aria-hidden="true">→ </span>
          <span className="visually-hidden">returned </span>
          <Marked text={output} search={search} />
        </span>
      )}
    </>
  );
}

/** Arguments are recorded as an array. Its brackets say nothing, and the preview may end before the second. */
function withoutBrackets(input: string): string {
  return input.replace(/^\[/, '').replace(/\]$/, '');
}
