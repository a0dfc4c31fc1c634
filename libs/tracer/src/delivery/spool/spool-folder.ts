import {
  chmodSync,
  lstatSync,
  mkdirSync,
  rmdirSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { newSpanId } from '@dacapo/protocol';
import { sha256 } from '../../hashing.js';
import { ownIdentity } from './process-identity.js';

export const LEASE = 'owner.json';
export const QUARANTINE = 'quarantine';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * The folder for one service and key, and in it the folder of this thread.
 *
 * ```
 * <root>/<hash of address and key>/<random id>/owner.json
 *                                             /<batch id>.1.spool
 *                                 /quarantine/…
 * ```
 * All folders are private to the user (0700), all files too (0600). The key cannot be read off its hash.
 */
export class SpoolFolder {
  /** Shared with other processes that have the same service and key. */
  readonly shared: string;
  /** Of this thread alone. */
  readonly own: string;
  private exists = false;

  constructor(
    root: string,
    serviceUrl: string,
    apiKey: string,
    private readonly onCreated: () => void,
  ) {
    const hash = sha256(`dacapo spool\n${serviceUrl}\n${apiKey}`);
    this.shared = join(root, hash.slice(0, 32));
    this.own = join(this.shared, newSpanId());
  }

  /** Makes the folder of this thread if it is not there. @throws what the file system says */
  ensure(): void {
    if (this.exists) return;
    mkdirSync(this.shared, { recursive: true, mode: FOLDER_MODE });
    makePrivate(this.shared);
    mkdirSync(this.own, { mode: FOLDER_MODE, recursive: true });
    writeFileSync(join(this.own, LEASE), JSON.stringify(ownIdentity()), { mode: FILE_MODE });
    this.exists = true;
    this.onCreated();
  }

  /** Shows others that this thread lives. @returns whether the folder is still there */
  touch(): boolean {
    if (!this.exists) return true;
    try {
      const now = new Date();
      utimesSync(this.own, now, now);
      statSync(join(this.own, LEASE));
      return true;
    } catch {
      this.exists = false;
      return false;
    }
  }

  /** Takes the folder away if no file is left in it. */
  removeIfEmpty(): void {
    if (!this.exists) return;
    try {
      this.exists = false;
      unlinkSync(join(this.own, LEASE));
      rmdirSync(this.own);
      rmdirSync(this.shared);
    } catch {
      // The shared folder is in use; or a file is left here, which without a lease is up for adoption.
    }
  }
}

/** @throws when the folder is a link or another user's: what is written there could be read or replaced. */
function makePrivate(folder: string): void {
  const stats = lstatSync(folder);
  const uid = process.getuid?.();
  if (!stats.isDirectory()) throw new Error(`${folder} is not a folder`);
  if (uid === undefined) return;
  if (stats.uid !== uid) throw new Error(`${folder} belongs to another user`);
  if (isPrivate(stats.mode)) return;
  // A volume that a container's group owns is opened to that group each time it is mounted.
  chmodSync(folder, FOLDER_MODE);
  if (!isPrivate(lstatSync(folder).mode)) throw new Error(`${folder} is open to other users`);
}

function isPrivate(mode: number): boolean {
  return (mode & 0o077) === 0;
}
