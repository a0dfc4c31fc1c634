import type { Attack } from './replay-process.js';

const CHANGED = { CHANGED: '1' };
const later = (code: string): string => `setTimeout(() => { ${code} }, 300)`;
/** Code that reports success instead of the command. */
export const REPORT_SUCCESS = `require("fs").writeSync(3, '{"exitCode":0}\\n')`;
const KILL = (signal: string): string => `process.kill(process.pid, ${JSON.stringify(signal)})`;

/** Ways in which application code can interfere with its process. */
export const APPLICATION_ATTACKS: readonly Attack[] = [
  ['calls process.exit(0) while it is loaded', 1, { env: { ON_LOAD: 'process.exit(0)' } }],
  [
    'calls process.exit(0) soon after it is loaded',
    1,
    { env: { ON_LOAD: 'setImmediate(() => process.exit(0))' } },
  ],
  [
    'leaves nothing to wait for while it is loaded',
    1,
    { line: ['replay', 'test/replay-exit/never.cjs', '--key', 'work'] },
  ],
  ['calls process.exit(0) in a call', 1, { env: { ON_CALL: 'process.exit(0)' } }],
  ['calls process.exit(0) in the last call', 1, { env: { ON_LAST_CALL: 'process.exit(0)' } }],
  [
    'calls process.exit(0) soon after the last call',
    1,
    { env: { ON_LAST_CALL: 'setImmediate(() => process.exit(0))' } },
  ],
  [
    'calls process.exit(0) in an evaluator',
    1,
    { env: { ON_SCORE: 'process.exit(0)' }, args: ['--evaluators', 'test/replay-exit/evaluators.cjs'] },
  ],
  ['calls process.exit(0) while it closes', 1, { env: { ON_CLOSE: 'process.exit(0)' } }],
  ['calls process.exit(5) in a call, without a gate that failed', 1, { env: { ON_CALL: 'process.exit(5)' } }],
  ['calls process.reallyExit(0)', 1, { env: { ON_CALL: 'process.reallyExit(0)' } }],
  [
    'removes the listeners of exit, and exits',
    1,
    { env: { ON_CALL: "process.removeAllListeners('exit'); process.exit(0)" } },
  ],
  [
    'removes the listeners of signals, and is signalled',
    143,
    { env: { ON_CALL: `process.removeAllListeners('SIGTERM'); ${KILL('SIGTERM')}` } },
  ],
  [
    'never ends its closing, and leaves nothing to wait for',
    1,
    { env: { ON_CLOSE: 'return new Promise(() => {})' } },
  ],
  ['fails to close', 1, { env: { ON_CLOSE: 'throw new Error("not closed")' } }],
  [
    'throws without a handler',
    1,
    { env: { ON_CALL: 'setImmediate(() => { throw new Error("uncaught") })' } },
  ],
  [
    'throws after the last call',
    1,
    { env: { ON_LAST_CALL: 'setImmediate(() => { throw new Error("uncaught") })' } },
  ],
  [
    'throws while it closes',
    1,
    { env: { ON_CLOSE: 'process.nextTick(() => { throw new Error("uncaught") })' } },
  ],
  ['throws after the report', 1, { env: { ON_CLOSE: later('throw new Error("uncaught")') } }],
  ['rejects without a handler', 1, { env: { ON_CALL: 'Promise.reject(new Error("unhandled"))' } }],
  ['rejects after the report', 1, { env: { ON_CLOSE: later('Promise.reject(new Error("unhandled"))') } }],
  ['exits with another code after the report', 1, { env: { ON_CLOSE: later('process.exit(7)') } }],
  [
    'exits with 0 on an uncaught error',
    1,
    {
      env: {
        ON_CALL:
          "process.once('uncaughtException', () => process.exit(0)); setImmediate(() => { throw new Error() })",
      },
    },
  ],
  [
    'exits with 0 on SIGTERM',
    143,
    {
      env: {
        ON_CALL: `process.on('SIGTERM', () => process.exit(0)); process.kill(process.ppid, 'SIGTERM'); return new Promise(() => setInterval(() => {}, 1e6))`,
      },
    },
  ],
  [
    'sets the exit code to 0 after the gate failed',
    5,
    { env: { ...CHANGED, ON_LOAD: "process.on('exit', () => { process.exitCode = 0 })" } },
  ],
  [
    'exits with 0 at exit after the gate failed',
    5,
    { env: { ...CHANGED, ON_LOAD: "process.on('exit', () => process.reallyExit(0))" } },
  ],
  ['exits with 0 soon after the gate failed', 5, { env: { ...CHANGED, ON_CLOSE: later('process.exit(0)') } }],
  [
    'replaces process.exit before the gate fails',
    5,
    {
      env: {
        ...CHANGED,
        ON_LOAD: 'process.exit = () => {}; process.reallyExit = () => {}',
      },
    },
  ],
  ['sends itself SIGTERM', 143, { env: { ON_LAST_CALL: KILL('SIGTERM') } }],
  ['sends itself SIGINT', 130, { env: { ON_CALL: KILL('SIGINT') } }],
  [
    'sends itself SIGTERM while it closes',
    143,
    { env: { ON_CLOSE: `${KILL('SIGTERM')}; return new Promise(setImmediate)` } },
  ],
  ['sends itself SIGTERM after the report', 143, { env: { ON_CLOSE: later(KILL('SIGTERM')) } }],
  ['sends itself SIGHUP', 1, { env: { ON_CALL: KILL('SIGHUP') } }],
  ['sends itself SIGKILL', 1, { env: { ON_CALL: KILL('SIGKILL') } }],
  ['sends itself SIGKILL after the report', 1, { env: { ON_CLOSE: later(KILL('SIGKILL')) } }],
  ['aborts', 1, { env: { ON_CALL: 'process.abort()' } }],
  [
    'runs out of memory',
    1,
    {
      env: {
        NODE_OPTIONS: '--max-old-space-size=60',
        ON_CALL: 'const all = []; for (;;) all.push(new Array(1e5).fill(all.length))',
      },
    },
  ],
  [
    'waits for a worker that exits',
    5,
    {
      env: {
        ON_CALL:
          "new (require('node:worker_threads').Worker)('process.exit(0)', { eval: true }); return new Promise(() => {})",
      },
      args: ['--timeout', '5000'],
    },
  ],
  [
    'reports success to the supervisor, and exits',
    1,
    { env: { ON_CALL: `${REPORT_SUCCESS}; process.exit(0)` } },
  ],
  [
    'reports success with a secret of its own, and exits',
    1,
    {
      env: {
        ON_CALL: `require("fs").writeSync(3, '{"secret":"a"}\\n{"exitCode":0,"secret":"a"}\\n'); process.exit(0)`,
      },
    },
  ],
  [
    'reports success to the supervisor after the gate failed, and leaves at once',
    5,
    { env: { ...CHANGED, ON_CLOSE: REPORT_SUCCESS } },
  ],
  [
    'writes what it sees of the channel again, and exits',
    1,
    {
      env: {
        ON_LOAD: `const { Socket } = require('net'); const { write } = Socket.prototype; const seen = []; Socket.prototype.write = function (...all) { seen.push(all[0]); return write.apply(this, all); }; globalThis.forge = () => require('fs').writeSync(3, seen.join('') + '{"exitCode":0}\\n');`,
        ON_LAST_CALL: 'forge(); process.exit(0)',
      },
    },
  ],
  ['closes the channel to the supervisor', 1, { env: { ON_CALL: 'require("fs").closeSync(3)' } }],
  [
    'destroys every open handle',
    1,
    {
      env: {
        ON_CALL: 'for (const handle of process._getActiveHandles()) handle.destroy?.(); process.exit(0)',
      },
    },
  ],
  [
    'kills the supervisor',
    'SIGKILL',
    { env: { ON_CALL: "process.kill(process.ppid, 'SIGKILL'); return new Promise(() => {})" } },
  ],
  ['closes stdout', 1, { env: { ON_CALL: 'process.stdout.destroy(); process.stdout.end()' } }],
];
