import { type ReactNode, type ToggleEvent, useId, useRef } from 'react';
import styles from './menu.module.css';

interface MenuProps {
  /** Names a button that shows `⋯`, such as `Actions for staging`. */
  label?: string;
  /** What the button shows. `⋯` by default. */
  face?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}

/** A button that opens a menu next to it. A click elsewhere, Escape or an action closes the menu. */
export function Menu({ label, face, className, children }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const sizes = useRef<ResizeObserver>(null);
  // Again when it grows, because parts of a menu may load after it opened.
  const place = ({ currentTarget: menu, newState }: ToggleEvent<HTMLDivElement>) => {
    sizes.current?.disconnect();
    if (newState !== 'open') return;
    sizes.current = new ResizeObserver(() => {
      if (button.current) placeNextTo(menu, button.current);
    });
    sizes.current.observe(menu);
  };
  return (
    <div className={className}>
      <button
        ref={button}
        type="button"
        className={`plain ${face === undefined ? (styles.dots ?? '') : ''}`}
        aria-label={face === undefined ? label : undefined}
        title={face === undefined ? label : undefined}
        popoverTarget={id}
      >
        {face ?? '⋯'}
      </button>
      <div
        id={id}
        popover="auto"
        className={styles.menu}
        onToggle={place}
        onClick={({ currentTarget: menu, target }) => {
          if (target instanceof Element && target.closest('a, [data-closes-menu]')) menu.hidePopover();
        }}
      >
        {children}
      </div>
    </div>
  );
}

const GAP_PX = 4;

/** Below the button if there is room, else above it, and inside the window. */
function placeNextTo(menu: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const hasRoomBelow = at.bottom + GAP_PX + menu.offsetHeight < window.innerHeight;
  const top = hasRoomBelow ? at.bottom + GAP_PX : at.top - GAP_PX - menu.offsetHeight;
  const opensLeft = at.left + menu.offsetWidth > window.innerWidth - GAP_PX;
  const left = opensLeft ? at.right - menu.offsetWidth : at.left;
  menu.style.top = `${Math.max(GAP_PX, top)}px`;
  menu.style.left = `${Math.max(GAP_PX, left)}px`;
}
