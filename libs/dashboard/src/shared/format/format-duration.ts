/** `0.4 ms`, `38 ms`, `1.24 s`, `2 m 05 s`; an en dash for `undefined`. */
export function formatDuration(durationMs: number | undefined): string {
  if (durationMs === undefined) return '–';
  if (durationMs < 9.95) return `${trim(durationMs.toFixed(1))} ms`;
  if (durationMs < 999.5) return `${Math.round(durationMs)} ms`;
  if (durationMs < 59_995) return `${(durationMs / 1000).toFixed(2)} s`;
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${twoDigits(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} m`;
}

/** `+12 ms` or `−1.20 s`: candidate minus baseline. */
export function formatDurationChange(baselineMs: number, candidateMs: number): string {
  const changeMs = candidateMs - baselineMs;
  return `${changeMs < 0 ? '−' : '+'}${formatDuration(Math.abs(changeMs))}`;
}

function trim(digits: string): string {
  return digits.replace(/\.0$/, '');
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
