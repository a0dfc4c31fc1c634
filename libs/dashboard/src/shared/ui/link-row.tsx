import type { MouseEvent, ReactNode } from 'react';
import { useLocation } from 'wouter';

interface LinkRowProps {
  /** The target, equal to the row's first link, which keyboards and screen readers use. */
  href: string;
  children: ReactNode;
}

/** A table row that opens `href` on click. Its text stays selectable and its own links keep working. */
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
