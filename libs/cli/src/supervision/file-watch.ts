import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, extname, sep } from 'node:path';

/** Changes within this time count as one. */
const SETTLE_MS = 100;

interface WatchedFolder {
  readonly watcher: FSWatcher;
  /** Detects a folder that was deleted and created again: its old watcher reports nothing. */
  readonly inode: number;
  readonly names: Set<string>;
  /** Names of missing modules without extension: `word.js` may be created as `word.ts`. */
  readonly stems: Set<string>;
}

/**
 * Reports changes of files. Watches their folders, because an editor may replace a file. If a folder does not exist, watches its nearest
 * existing parent.
 */
export class FileWatch {
  private readonly paths = new Set<string>();
  private readonly missing = new Set<string>();
  private readonly folders = new Map<string, WatchedFolder>();
  private isChanged = false;
  private notify: (() => void) | undefined;

  /** Ignores installed packages. */
  add(path: string): void {
    if (path.includes(`${sep}node_modules${sep}`) || this.paths.has(path)) return;
    this.paths.add(path);
    this.place(path, 'names');
  }

  /** @param path of a missing module as its importer wrote it, with any or no extension */
  addMissing(path: string): void {
    for (const stem of [path, path.slice(0, path.length - extname(path).length), `${path}${sep}index`]) {
      if (this.missing.has(stem)) continue;
      this.missing.add(stem);
      this.place(stem, 'stems');
    }
  }

  /** Resolves shortly after the next change, or at once if there was one since the last call. */
  async nextChange(): Promise<void> {
    if (!this.isChanged) await new Promise<void>((resolve) => (this.notify = resolve));
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    this.isChanged = false;
  }

  /** Watches the folder of the file, or its nearest existing parent. */
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

  /** @returns `undefined` when the folder does not exist */
  private watch(folder: string): WatchedFolder | undefined {
    const known = this.folders.get(folder);
    try {
      const { ino: inode } = statSync(folder);
      if (known?.inode === inode) return known;
      known?.watcher.close();
      const watcher = watch(folder, (event, name) => {
        this.onEvent(folder, event, name);
      });
      // Windows emits an error when the folder is deleted.
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
    // A folder was created or deleted, so other folders may need watching.
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
