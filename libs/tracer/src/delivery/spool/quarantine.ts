import { promises } from 'node:fs';
import { basename, join } from 'node:path';

const MAX_BYTES = 16 * 1024 * 1024;

/** Keeps what could not be read of spool files, for a person to look at; the oldest goes when there is too much. */
export class Quarantine {
  constructor(private readonly folder: string) {}

  /** Never rejects. */
  async keep(batchId: string, pieces: readonly Buffer[]): Promise<void> {
    await this.quietly(async () => {
      const bytes = Buffer.concat(pieces);
      await this.makeRoom(bytes.length);
      await promises.writeFile(join(this.folder, `${batchId}.damaged`), bytes, { mode: 0o600 });
    });
  }

  /** Takes a whole file out of the spool. Never rejects. */
  async moveIn(path: string): Promise<void> {
    await this.quietly(async () => {
      await this.makeRoom(0);
      await promises.rename(path, join(this.folder, basename(path)));
    });
  }

  private async makeRoom(bytes: number): Promise<void> {
    await promises.mkdir(this.folder, { recursive: true, mode: 0o700 });
    const names = (await promises.readdir(this.folder)).sort();
    const sizes = await Promise.all(
      names.map(async (name) => (await promises.stat(join(this.folder, name))).size),
    );
    let total = sizes.reduce((sum, size) => sum + size, bytes);
    for (const [index, name] of names.entries()) {
      if (total <= MAX_BYTES) return;
      await promises.unlink(join(this.folder, name));
      total -= sizes[index] ?? 0;
    }
  }

  private async quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch {
      // The damage is counted and reported by the caller; that it is kept as well is a courtesy.
    }
  }
}
