import { QueryLineError } from '@dacapo/protocol';
import { lazy, Suspense, type SyntheticEvent, useEffect, useId, useRef, useState } from 'react';
import { readLine, type TraceFilter, writeLine } from '../../shared/trace-filter/trace-filter.js';
import styles from './query-line.module.css';

const LineSuggestions = lazy(async () => ({
  default: (await import('./line-suggestions.js')).LineSuggestions,
}));

interface QueryLineProps {
  filter: TraceFilter;
  onChange: (filter: TraceFilter) => void;
}

/** The filter as one line of conditions and words, applied on Enter or blur. The key `/` focuses it. */
export function QueryLine({ filter, onChange }: QueryLineProps) {
  const line = writeLine(filter);
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  /** What is typed, from the first key on: suggestions load then. */
  const [typed, setTyped] = useState<string>();
  useEffect(() => {
    if (input.current) input.current.value = line;
  }, [line]);
  const apply = () => {
    const written = input.current?.value.trim() ?? '';
    try {
      if (written !== line) onChange(readLine(written));
      input.current?.setCustomValidity('');
    } catch (error) {
      if (!(error instanceof QueryLineError)) throw error;
      input.current?.setCustomValidity(error.message);
      input.current?.reportValidity();
    }
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    apply();
  };
  return (
    <form className={styles.line} role="search" aria-label="Filter traces" onSubmit={submit}>
      <input
        ref={input}
        type="search"
        aria-label="Query"
        defaultValue={line}
        list={listId}
        autoComplete="off"
        spellCheck={false}
        placeholder="words, status:error, key:…, model:…, cost>0.01, since:24h"
        aria-keyshortcuts="/"
        title="Searches names, inputs, outputs, errors and prompts for words. Conditions such as status:error or cost>0.01 narrow the list. Press Enter to search."
        onChange={({ target }) => {
          target.setCustomValidity('');
          setTyped(target.value);
          if (target.value === '') apply();
        }}
        onBlur={apply}
      />
      {typed !== undefined && (
        <Suspense>
          <LineSuggestions id={listId} line={typed} />
        </Suspense>
      )}
    </form>
  );
}
