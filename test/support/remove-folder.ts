import { rm } from 'node:fs/promises';

/** Removes a folder. Retries, because children of a killed process may write for a moment longer. */
export function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 10 });
}
