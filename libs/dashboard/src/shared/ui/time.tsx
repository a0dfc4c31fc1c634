import { formatDateTime, formatTime, formatZone } from '../format/format-time.js';

interface TimeProps {
  at: string;
  /** Whether the reader's time zone is named. */
  zone?: boolean;
}

/** A point in time; its year and zone show on hover. */
export function Time({ at, zone = false }: TimeProps) {
  return (
    <time className="nowrap" dateTime={at} title={formatDateTime(at)}>
      {formatTime(at)}
      {zone && ` ${formatZone(at)}`}
    </time>
  );
}
