import { formatDateTime, formatTime } from '../format/format-time.js';

/** A point in time; its year shows on hover. */
export function Time({ at }: { at: string }) {
  return (
    <time className="nowrap" dateTime={at} title={formatDateTime(at)}>
      {formatTime(at)}
    </time>
  );
}
