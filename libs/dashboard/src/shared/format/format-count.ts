import { lazily } from './lazily.js';

const counts = lazily(() => new Intl.NumberFormat('en-US'));

/** `1,234` */
export function formatCount(count: number): string {
  return counts().format(count);
}

/** `1 span`, `1,234 spans` */
export function formatQuantity(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** `640 B`, `12 KB`, `1.4 MB` */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
