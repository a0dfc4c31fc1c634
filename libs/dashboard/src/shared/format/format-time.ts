import { lazily } from './lazily.js';

const dateAndTime = lazily(
  () => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' }),
);
const day = lazily(() => new Intl.DateTimeFormat(undefined, { month: 'short', day: '2-digit' }));
const utcDay = lazily(
  () => new Intl.DateTimeFormat(undefined, { month: 'short', day: '2-digit', timeZone: 'UTC' }),
);
const clock = lazily(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hour12: false }));
const zone = lazily(() => new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }));
const dayAndTime = lazily(
  () =>
    new Intl.DateTimeFormat(undefined, {
      month: 'short',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hour12: false,
    }),
);

/** `Mar 04, 14:05:09`, in the reader's zone. Returns an invalid timestamp unchanged. */
export function formatTime(timestamp: string): string {
  return format(dayAndTime, timestamp);
}

/** `14:05:09`, in the reader's zone. */
export function formatClock(timestamp: string): string {
  return format(clock, timestamp);
}

/** `Mar 04`, in the reader's zone. */
export function formatDay(timestamp: string): string {
  return format(day, timestamp);
}

/** `Mar 04`, in UTC. */
export function formatUtcDay(timestamp: string): string {
  return format(utcDay, timestamp);
}

/** The date with year, time and zone, in the reader's zone. */
export function formatDateTime(timestamp: string): string {
  return format(dateAndTime, timestamp);
}

/** `GMT+2`: the reader's zone at that time. Empty for an invalid timestamp. */
export function formatZone(timestamp: string): string {
  const time = Date.parse(timestamp);
  if (Number.isNaN(time)) return '';
  return (
    zone()
      .formatToParts(time)
      .find(({ type }) => type === 'timeZoneName')?.value ?? ''
  );
}

function format(formatter: () => Intl.DateTimeFormat, timestamp: string): string {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? timestamp : formatter().format(time);
}

/** Creates the formatters of lists. Loading their data takes the browser several milliseconds, which a waiting page can spend. */
export function prepareTimeFormats(): void {
  for (const formatter of [dateAndTime, day, clock, zone]) formatter();
}
