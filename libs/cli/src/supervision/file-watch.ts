import { watch } from 'node:fs';
import { basename, dirname, sep } from 'node:path';

/** Saves within this time are one change. */
const SETTLE_MS = 100;

/**
 * Notices changes of files. It watches their folders: a file that an editor replaces, or that is deleted and comes back, is another
 * one to the operating system.
 */
export class FileWatch {
  /** Names of the files, by folder. */
  private readonly folders = new Map<string, Set<string>>();
  private isChanged = false;
  private notify: (() => void) | undefined;

  /** Installed packages are not watched. */
  add(path: string): void {
    if (path.includes(`${sep}node_modules${sep}`)) return;
    const folder = dirname(path);
    const names = this.folders.get(folder) ?? this.watch(folder);
    names.add(basename(path));
  }

  /** Resolves soon after the next change, at once where something changed since the last one was noticed. */
  async nextChange(): Promise<void> {
    if (!this.isChanged) await new Promise<void>((resolve) => (this.notify = resolve));
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    this.isChanged = false;
  }

  private watch(folder: string): Set<string> {
    const names = new Set<string>();
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name !== null && !names.has(name)) return;
        this.isChanged = true;
        this.notify?.();
      });
      // A folder that is deleted is watched again when a run loads a file of it.
      watcher.once('error', () => {
        this.folders.delete(folder);
      });
      this.folders.set(folder, names);
    } catch {
      // The folder does not exist: a later run may load a file of it.
    }
    return names;
  }
}
