/** CPU time of processes, read from /proc. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const TICKS_A_SECOND = 100;
const POLL_MS = 250;
const IDLE_POLLS = 3;
/** Share of one core below which a process counts as idle. */
const IDLE_SHARE = 0.05;
/** Maximum wait, because some engines never stop their background work. */
const MOST_WAIT_MS = 120_000;

/** @returns CPU seconds of a process and its children, including ended ones; NaN without a process */
export function readCpuSeconds(pid) {
  if (pid === undefined) return NaN;
  const { own, ended } = readStat(pid);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(readStat)
    .filter((stat) => stat?.parent === pid);
  return children.reduce((sum, child) => sum + child.own, own + ended) / TICKS_A_SECOND;
}

/** @returns `undefined` if the process has ended */
function readStat(pid) {
  let text;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The process name, in parentheses, may contain spaces.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user, system, endedUser, endedSystem] = fields.slice(11);
  return { parent: fields[1], own: user + system, ended: endedUser + endedSystem };
}

/** Resolves when the processes are idle. */
export async function waitUntilIdle(pids) {
  const running = pids.filter((pid) => pid !== undefined);
  const sum = () => running.reduce((seconds, pid) => seconds + readCpuSeconds(pid), 0);
  const until = performance.now() + MOST_WAIT_MS;
  let last = sum();
  for (let idle = 0; idle < IDLE_POLLS && performance.now() < until;) {
    await sleep(POLL_MS);
    const now = sum();
    idle = now - last <= (IDLE_SHARE * POLL_MS) / 1000 ? idle + 1 : 0;
    last = now;
  }
}
