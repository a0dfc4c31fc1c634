import { formatDateTime, formatTime, formatZone } from '../format/format-time.js';

interface TimeProps {
  at: string;
  /** Shows the reader's time zone. */
  zone?: boolean;
}

/** A point in time. The tooltip has its year and zone. */
export function Time({ at, zone = false }: TimeProps) {
  return (
    <time className="nowrap" dateTime={at} title={formatDateTime(at)}>
      {formatTime(at)}
      {zone && ` ${formatZone(at)}`}
    </time>
  );
}
