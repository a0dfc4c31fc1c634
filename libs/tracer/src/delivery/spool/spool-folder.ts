import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { newSpanId } from '@dacapo/protocol';
import { realEpochMs } from '../../context/clock.js';
import { sha256 } from '../../hashing.js';
import { ownIdentity } from './process-identity.js';
import { SPOOL_SUFFIX } from './spool-format.js';

export const LEASE = 'owner.json';
/** Describes the owner of a folder, for people and other processes. */
export const ABOUT = 'about.json';
export const QUARANTINE = 'quarantine';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * The folder for one service and key, and in it the folder of this thread.
 *
 * ```
 * <root>/<hash of address and key>/about.json
 *                                 /<random id>/owner.json
 *                                             /<batch id>.1.spool
 *                                             /<test run id>.<random id>.reports.ndjson
 *                                 /quarantine/…
 * ```
 * All folders are private to the user (0700), all files too (0600). The key cannot be read off its hash or its hint.
 */
export class SpoolFolder {
  /** Shared with other processes that have the same service and key. */
  readonly shared: string;
  /** Only for this thread. */
  readonly own: string;
  private exists = false;

  constructor(
    root: string,
    private readonly serviceUrl: string,
    private readonly keyHint: string | undefined,
    name: string,
    private readonly onCreated: () => void,
  ) {
    this.shared = join(root, name);
    this.own = join(this.shared, newSpanId());
  }

  static of(root: string, serviceUrl: string, apiKey: string, onCreated: () => void): SpoolFolder {
    return new SpoolFolder(root, serviceUrl, toHint(apiKey), folderName(serviceUrl, apiKey), onCreated);
  }

  toPath(batchId: string): string {
    return join(this.own, `${batchId}${SPOOL_SUFFIX}`);
  }

  /** Creates the folder of this thread if it does not exist. @throws errors of the file system */
  ensure(): void {
    if (this.exists) return;
    mkdirSync(this.shared, { recursive: true, mode: FOLDER_MODE });
    makePrivate(this.shared);
    const about = { service_url: this.serviceUrl, key_hint: this.keyHint };
    writeFileSync(join(this.shared, ABOUT), JSON.stringify(about), { mode: FILE_MODE });
    mkdirSync(this.own, { mode: FOLDER_MODE, recursive: true });
    writeFileSync(join(this.own, LEASE), JSON.stringify(ownIdentity()), { mode: FILE_MODE });
    this.exists = true;
    this.onCreated();
  }

  /** Shows other processes that this thread is alive. @returns whether the folder still exists */
  touch(): boolean {
    if (!this.exists) return true;
    try {
      const now = new Date(realEpochMs());
      utimesSync(this.own, now, now);
      statSync(join(this.own, LEASE));
      return true;
    } catch {
      this.exists = false;
      return false;
    }
  }

  /** Removes the folder if it is empty; otherwise other processes may take over its files immediately. */
  leave(): void {
    if (!this.exists) return;
    try {
      this.exists = false;
      unlinkSync(join(this.own, LEASE));
      if (readdirSync(this.own).length > 0) {
        utimesSync(this.own, 0, 0);
        return;
      }
      rmdirSync(this.own);
      if (readdirSync(this.shared).join() !== ABOUT) return;
      unlinkSync(join(this.shared, ABOUT));
      rmdirSync(this.shared);
    } catch {
      // The shared folder is in use, or another process removed this one.
    }
  }
}

/** Shorter keys have no hint, because it would reveal too much of them. */
const SHORTEST_HINTED = 24;

/** The folder of a service and key. */
export function folderName(serviceUrl: string, apiKey: string): string {
  return sha256(`dacapo spool\n${serviceUrl}\n${apiKey}`).slice(0, 32);
}

/** The hint of a key, in the form of the service. */
function toHint(apiKey: string): string | undefined {
  return apiKey.length < SHORTEST_HINTED ? undefined : `${apiKey.slice(0, 7)}…${apiKey.slice(-4)}`;
}

/** @throws when the folder is a link or belongs to another user, who could read or replace its files. */
function makePrivate(folder: string): void {
  const stats = lstatSync(folder);
  const uid = process.getuid?.();
  if (!stats.isDirectory()) throw new Error(`${folder} is not a folder`);
  if (uid === undefined) return;
  if (stats.uid !== uid) throw new Error(`${folder} belongs to another user`);
  if (isPrivate(stats.mode)) return;
  // A volume owned by a container's group is opened to that group at each mount.
  chmodSync(folder, FOLDER_MODE);
  if (!isPrivate(lstatSync(folder).mode)) throw new Error(`${folder} is open to other users`);
}

function isPrivate(mode: number): boolean {
  return (mode & 0o077) === 0;
}
