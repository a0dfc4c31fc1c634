const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;
const SECONDS_END = 'YYYY-MM-DDTHH:MM:SS'.length;

/** Microseconds since the epoch as ISO 8601 in UTC with six decimals: `2026-11-21T06:47:25.123456Z`. */
export function formatTimestamp(epochUs: number): string {
  const micros = Math.floor(epochUs);
  const iso = new Date(Math.floor(micros / 1000)).toISOString();
  return `${iso.slice(0, -1)}${String(((micros % 1000) + 1000) % 1000).padStart(3, '0')}Z`;
}

/** Microseconds since the epoch; `undefined` when `text` is not an ISO 8601 time in UTC. Drops nanoseconds. */
export function parseTimestamp(text: string): number | undefined {
  if (!TIMESTAMP.test(text)) return undefined;
  const epochMs = Date.parse(`${text.slice(0, SECONDS_END)}Z`);
  if (Number.isNaN(epochMs)) return undefined;
  return (
    epochMs * 1000 +
    Number(
      text
        .slice(SECONDS_END + 1, -1)
        .padEnd(6, '0')
        .slice(0, 6),
    )
  );
}
