import type { MouseEvent, ReactNode } from 'react';
import { useLocation } from 'wouter';

interface LinkRowProps {
  /** Where it leads; the same as the row's first link, which keyboards and screen readers use. */
  href: string;
  children: ReactNode;
}

/** A row that opens something wherever it is clicked; its text can be selected, and its other links lead elsewhere. */
export function LinkRow({ href, children }: LinkRowProps) {
  const [, navigate] = useLocation();
  const open = (event: MouseEvent, inNewTab: boolean) => {
    const isOnControl = event.target instanceof Element && event.target.closest('a, button') !== null;
    if (isOnControl || window.getSelection()?.isCollapsed === false) return;
    if (inNewTab) window.open(href, '_blank', 'noopener');
    else navigate(href);
  };
  return (
    <tr
      className="row-link"
      role="row"
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
