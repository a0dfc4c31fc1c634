import type { MouseEvent, ReactNode } from 'react';
import { navigate } from 'wouter/use-browser-location';

interface LinkRowProps {
  /** The target, equal to the row's first link, which keyboards and screen readers use. */
  href: string;
  /** Names what the row shows, for keys that act on the row with the focus. */
  id?: string;
  /** Its place among all rows, from 1, where not all are rendered. */
  place?: number;
  isSelected?: boolean;
  children: ReactNode;
}

/** A table row that opens `href` on click. Its text stays selectable and its own links keep working. */
export function LinkRow({ href, id, place, isSelected, children }: LinkRowProps) {
  const open = (event: MouseEvent, inNewTab: boolean) => {
    const isOnControl =
      event.target instanceof Element && event.target.closest('a, button, input, label') !== null;
    if (isOnControl || window.getSelection()?.isCollapsed === false) return;
    if (inNewTab) window.open(href, '_blank', 'noopener');
    else navigate(href);
  };
  return (
    <tr
      className="row-link"
      role="row"
      data-row-id={id}
      data-selected={isSelected}
      aria-rowindex={place}
      onClick={(event) => {
        open(event, event.metaKey || event.ctrlKey || event.shiftKey);
      }}
      onAuxClick={(event) => {
        if (event.button === 1) open(event, true);
      }}
    >
      {children}
    </tr>
  );
}
