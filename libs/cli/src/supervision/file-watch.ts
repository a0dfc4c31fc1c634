import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, extname, sep } from 'node:path';

/** Saves within this time are one change. */
const SETTLE_MS = 100;

interface WatchedFolder {
  readonly watcher: FSWatcher;
  /** A folder that is deleted and made again has another number, and the watcher of the first one sees nothing of it. */
  readonly inode: number;
  readonly names: Set<string>;
  /** Names without their extensions, of modules that were not found: `word.js` may come as `word.ts`. */
  readonly stems: Set<string>;
}

/**
 * Notices changes of files. It watches their folders: a file that an editor replaces, or that is deleted and comes back, is another
 * one to the operating system. In place of a folder that does not exist it watches the nearest one that does.
 */
export class FileWatch {
  private readonly paths = new Set<string>();
  private readonly missing = new Set<string>();
  private readonly folders = new Map<string, WatchedFolder>();
  private isChanged = false;
  private notify: (() => void) | undefined;

  /** Installed packages are not watched. */
  add(path: string): void {
    if (path.includes(`${sep}node_modules${sep}`) || this.paths.has(path)) return;
    this.paths.add(path);
    this.place(path, 'names');
  }

  /** @param path of a module that was not found, as its importer wrote it: its extension may be another one, or absent */
  addMissing(path: string): void {
    for (const stem of [path, path.slice(0, path.length - extname(path).length), `${path}${sep}index`]) {
      if (this.missing.has(stem)) continue;
      this.missing.add(stem);
      this.place(stem, 'stems');
    }
  }

  /** Resolves soon after the next change, at once where something changed since the last one was noticed. */
  async nextChange(): Promise<void> {
    if (!this.isChanged) await new Promise<void>((resolve) => (this.notify = resolve));
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    this.isChanged = false;
  }

  /** Watches the folder of the file, or the nearest folder above it that exists. */
  private place(path: string, kind: 'names' | 'stems'): void {
    let [folder, name] = [dirname(path), basename(path)];
    let watched = this.watch(folder);
    if (watched !== undefined) watched[kind].add(name);
    while (watched === undefined && folder !== dirname(folder)) {
      [folder, name] = [dirname(folder), basename(folder)];
      watched = this.watch(folder);
      watched?.names.add(name);
    }
  }

  /** @returns `undefined` where there is no such folder */
  private watch(folder: string): WatchedFolder | undefined {
    const known = this.folders.get(folder);
    try {
      const { ino: inode } = statSync(folder);
      if (known?.inode === inode) return known;
      known?.watcher.close();
      const watcher = watch(folder, (event, name) => {
        this.onEvent(folder, event, name);
      });
      // Windows reports an error when the folder is deleted.
      watcher.on('error', () => {
        this.onEvent(folder, 'rename', null);
      });
      const watched = { watcher, inode, names: new Set<string>(), stems: new Set<string>() };
      this.folders.set(folder, watched);
      return watched;
    } catch {
      known?.watcher.close();
      this.folders.delete(folder);
      return undefined;
    }
  }

  private onEvent(folder: string, event: string, name: string | null): void {
    const { names, stems } = this.folders.get(folder) ?? {};
    const isStem = (stem: string): boolean => name === stem || name?.startsWith(`${stem}.`) === true;
    const isWanted = name === null || names?.has(name) === true || [...(stems ?? [])].some(isStem);
    // A folder came or was deleted: other folders may have to be watched from now on.
    if (event === 'rename') this.placeAll();
    if (!isWanted) return;
    this.isChanged = true;
    this.notify?.();
  }

  private placeAll(): void {
    for (const path of this.paths) this.place(path, 'names');
    for (const path of this.missing) this.place(path, 'stems');
  }
}
