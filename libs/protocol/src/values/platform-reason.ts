const PLATFORM_REASONS: ReadonlySet<string> = new Set([
  'AbortError: This operation was aborted',
  'TimeoutError: The operation was aborted due to timeout',
]);

/** Name of the default reason of `abort()` or `AbortSignal.timeout()`; `undefined` for a custom reason. */
export function platformReason(reason: unknown): string | undefined {
  const isPlatform = reason instanceof DOMException && Object.keys(reason).length === 0;
  return isPlatform && PLATFORM_REASONS.has(`${reason.name}: ${reason.message}`) ? reason.name : undefined;
}
