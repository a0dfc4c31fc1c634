import type { Snippet } from '@dacapo/protocol';
import type { ReactNode } from 'react';

/** A snippet of the service with its matches marked. */
export function MarkedSnippet({ snippet: { text, marks } }: { snippet: Snippet }) {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const [start = 0, until = 0] of marks) {
    parts.push(text.slice(end, start), <mark key={start}>{text.slice(start, until)}</mark>);
    end = until;
  }
  return [...parts, text.slice(end)];
}
