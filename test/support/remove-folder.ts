import { rm } from 'node:fs/promises';

/** Also of a process that was killed, and whose own processes may take a moment to notice. */
export function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 10 });
}
