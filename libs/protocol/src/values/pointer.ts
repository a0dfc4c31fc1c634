/** Appends a step to a JSON Pointer (RFC 6901). */
export function pointerTo(holder: string, key: string | number): string {
  return typeof key === 'number' ? `${holder}/${key}` : `${holder}/${escapeStep(key)}`;
}

/** The steps of a JSON Pointer, unescaped. `""` has none. */
export function pointerSteps(pointer: string): string[] {
  return pointer === '' ? [] : pointer.slice(1).split('/').map(unescapeStep);
}

/**
 * A Relative JSON Pointer (`2/name`: two steps up, then `name`). It stays valid when both places are nested in a larger value.
 */
export function relativePointer(from: string, to: string): string {
  const [start, end] = [from.split('/'), to.split('/')];
  let shared = 0;
  while (shared < start.length && shared < end.length && start[shared] === end[shared]) shared++;
  return [start.length - shared, ...end.slice(shared)].join('/');
}

/** Resolves a Relative JSON Pointer at `from`; `undefined` if it is invalid. */
export function resolveRelative(from: string, relative: string): string | undefined {
  const [, up = '', down = ''] = /^(\d+)((?:\/.*)?)$/s.exec(relative) ?? [];
  const steps = from.split('/');
  return up === '' || Number(up) >= steps.length
    ? undefined
    : steps.slice(0, steps.length - Number(up)).join('/') + down;
}

/** Whether `holders` contains the pointer or one of its ancestors. */
export function isInside(pointer: string, holders: ReadonlySet<string>): boolean {
  if (holders.size === 0) return false;
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
    if (holders.has(pointer.slice(0, end))) return true;
  }
  return holders.has('');
}

function escapeStep(step: string): string {
  return step.includes('~') || step.includes('/') ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step;
}

function unescapeStep(step: string): string {
  return step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step;
}
