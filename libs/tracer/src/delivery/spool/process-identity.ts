import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isJsonObject } from '@dacapo/protocol';
import { hasCode } from '../errors.js';

/** Identifies a thread of a process, so that other processes detect its end even if the process id is reused. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly threadId: number;
  /** Host, boot and process-id namespace: where `pid` means something. */
  readonly space: string;
  /** When the process started, in the kernel's ticks since boot; empty if unknown. */
  readonly startedAt: string;
}

export function ownIdentity(): ProcessIdentity {
  const { pid } = process;
  const { threadId } = process.getBuiltinModule('node:worker_threads');
  return { pid, threadId, space: ownSpace(), startedAt: readProcessStatus(pid)?.startedAt ?? '' };
}

export function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    const identity: unknown = JSON.parse(text);
    if (!isJsonObject(identity)) return undefined;
    const { pid, threadId: thread, space, startedAt } = identity;
    if (typeof pid !== 'number' || typeof thread !== 'number') return undefined;
    if (typeof space !== 'string' || typeof startedAt !== 'string') return undefined;
    return { pid, threadId: thread, space, startedAt };
  } catch {
    return undefined;
  }
}

/** `unknown`: it is on another machine or in another container, or a thread of a process that lives. */
export function findProcessState(identity: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  if (identity.space !== ownSpace()) return 'unknown';
  const status = readProcessStatus(identity.pid);
  if (status?.isZombie === true || !exists(identity.pid)) return 'dead';
  if (status !== undefined && identity.startedAt !== '' && status.startedAt !== identity.startedAt)
    return 'dead';
  if (identity.threadId !== 0 || status === undefined) return 'unknown';
  return 'alive';
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

function ownSpace(): string {
  return [
    hostname(),
    quietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    quietly(() => readlinkSync('/proc/self/ns/pid')),
  ].join(' ');
}

/** Fields 3 and 22 of proc_pid_stat(5). They follow the command, which may contain anything in parentheses. */
function readProcessStatus(pid: number): { isZombie: boolean; startedAt: string } | undefined {
  const stat = quietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startedAt] = [fields[0], fields[19]];
  return startedAt === undefined ? undefined : { isZombie: state === 'Z' || state === 'X', startedAt };
}

function quietly(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
