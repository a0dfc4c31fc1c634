/** A JSON Pointer (RFC 6901) one step further. */
export function pointerTo(holder: string, key: string | number): string {
  return typeof key === 'number' ? `${holder}/${key}` : `${holder}/${escapeStep(key)}`;
}

/** The steps of a JSON Pointer, unescaped. `""` has none. */
export function pointerSteps(pointer: string): string[] {
  return pointer === '' ? [] : pointer.slice(1).split('/').map(unescapeStep);
}

function escapeStep(step: string): string {
  return step.includes('~') || step.includes('/') ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step;
}

function unescapeStep(step: string): string {
  return step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step;
}
