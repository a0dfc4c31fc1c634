const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: '2-digit' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hour12: false });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});

/** `Mar 04, 14:05:09`, in the reader's zone. A text that is no time comes back as it is. */
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

/** The date with its year and time, in the reader's zone. */
export function formatDateTime(timestamp: string): string {
  return format(dateAndTime, timestamp);
}

function format(formatter: Intl.DateTimeFormat, timestamp: string): string {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? timestamp : formatter.format(time);
}
