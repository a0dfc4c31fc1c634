/** Whether a key belongs to a field, a dialog or a menu, and not to the page. */
export function isKeyElsewhere(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open], [popover]:popover-open') !== null) return true;
  const field = 'input:not([type=checkbox]), select, textarea, [role=dialog]';
  return target instanceof Element && target.closest(field) !== null;
}
