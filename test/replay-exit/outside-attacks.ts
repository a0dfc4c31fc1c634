import type { ChildProcess } from 'node:child_process';
import type { Attack } from './replay-process.js';

/** Sends a signal after the process has printed a text. */
function onceSaid(text: RegExp, signal: NodeJS.Signals): (child: ChildProcess) => void {
  return (child) => {
    const read = (output: string): void => {
      if (!text.test(output)) return;
      child.stderr!.off('data', read);
      child.kill(signal);
    };
    child.stderr!.on('data', read);
  };
}

/** Ways in which the command can be interrupted from outside. */
export const OUTSIDE_ATTACKS: readonly Attack[] = [
  ['the disk is full where a report is written', 1, { args: ['--junit', '/dev/full'] }],
  ['the disk is full where a comment is written', 1, { args: ['--markdown', '/dev/full'] }],
  ['the disk is full where stdout is written', 1, { stdout: '/dev/full' }],
  ['nobody reads stdout', 1, { during: (child) => child.stdout!.destroy() }],
  ['nobody reads the JSON', 1, { args: ['--json'], during: (child) => child.stdout!.destroy() }],
  [
    'the supervisor is sent SIGTERM in a call',
    143,
    {
      env: {
        ON_CALL:
          'console.log("in a call"); const open = setInterval(() => {}, 1e6); return new Promise((done) => process.once("SIGTERM", () => { clearInterval(open); done(); }))',
      },
      during: onceSaid(/in a call/, 'SIGTERM'),
    },
  ],
  [
    'the supervisor is killed',
    'SIGKILL',
    {
      env: { ON_CALL: 'console.log("in a call"); return new Promise(() => {})' },
      during: onceSaid(/in a call/, 'SIGKILL'),
    },
  ],
  ['the variable names a process that is no supervisor', 1, { env: { DACAPO_SUPERVISOR_PID: '1' } }],
  [
    'the variable names a process that opened no channel',
    1,
    { env: { DACAPO_SUPERVISOR_PID: String(process.pid) } },
  ],
];
