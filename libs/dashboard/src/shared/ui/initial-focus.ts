/** A `ref` for what a dialog focuses when it opens, where React's `autoFocus` comes too early, or when its content changes. */
export function setInitialFocus(element: HTMLElement | null): void {
  element?.setAttribute('autofocus', '');
  element?.focus();
}
