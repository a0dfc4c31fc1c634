import { REPORT_SUCCESS } from './application-attacks.js';
import type { Attack, Attempt } from './replay-process.js';

type ExitCode = Attack[1];

/** Code that an evaluator of any command can run, and the expected exit code. */
const ENDS: readonly (readonly [name: string, exit: ExitCode, code: string])[] = [
  ['calls process.exit(0)', 1, 'process.exit(0)'],
  ['calls process.reallyExit(0)', 1, 'process.reallyExit(0)'],
  ['reports success, and exits', 1, `${REPORT_SUCCESS}; process.exit(0)`],
  ['throws without a handler', 1, 'setImmediate(() => { throw new Error("uncaught") })'],
  ['rejects without a handler', 1, 'Promise.reject(new Error("unhandled"))'],
  ['sends itself SIGKILL', 1, 'process.kill(process.pid, "SIGKILL")'],
  [
    'sends itself SIGTERM',
    143,
    'process.kill(process.pid, "SIGTERM"); return new Promise((done) => setTimeout(done, 500))',
  ],
  ['aborts', 1, 'process.abort()'],
  ['never answers', 5, 'return new Promise(() => {})'],
  ['closes the channel to the supervisor', 1, 'require("fs").closeSync(3)'],
  ['kills the supervisor', 'SIGKILL', 'process.kill(process.ppid, "SIGKILL"); return new Promise(() => {})'],
];

/** Placeholder for the id of a finished run. */
export const FINISHED_RUN = '<finished run>';
const RESCORE = [
  'rescore',
  FINISHED_RUN,
  '--evaluators',
  'test/replay-exit/evaluators.cjs',
  '--timeout',
  '5000',
  '--gate',
  '{"errors":0}',
];
const EVAL = ['eval', 'test/replay-exit/attacked.eval.cjs'];
/** Without a service. */
const IN_MEMORY = { TRACER_API_KEY: '' };

const attacksOn = (command: string, line: readonly string[], env: Attempt['env'] = {}): Attack[] =>
  ENDS.map(([name, exit, code]) => [`${command}, ${name}`, exit, { line, env: { ...env, ON_SCORE: code } }]);

/** `dacapo eval` and `dacapo rescore`, which use the same supervisor. */
export const OTHER_COMMAND_ATTACKS: readonly Attack[] = [
  ...attacksOn('rescore', RESCORE),
  ...attacksOn('eval', EVAL),
  ...attacksOn('eval in memory', EVAL, IN_MEMORY),
  [
    'eval, fails its gate and sets the exit code to 0',
    5,
    { line: EVAL, env: { CHANGED: '1', ON_LOAD: "process.on('exit', () => { process.exitCode = 0 })" } },
  ],
  [
    'eval in memory, fails its gate and exits with 0 at exit',
    5,
    {
      line: EVAL,
      env: { ...IN_MEMORY, CHANGED: '1', ON_LOAD: "process.on('exit', () => process.reallyExit(0))" },
    },
  ],
  ['eval, exits while it is loaded', 1, { line: EVAL, env: { ON_LOAD: 'process.exit(0)' } }],
  [
    'rescore, where the service drops the end',
    1,
    { line: RESCORE, interfere: ({ path }) => (path.endsWith('/finish') ? 'drop' : undefined) },
  ],
  [
    'eval, where the service drops the end',
    1,
    { line: EVAL, interfere: ({ path }) => (path.endsWith('/finish') ? 'drop' : undefined) },
  ],
  ['eval, where the disk is full', 1, { line: [...EVAL, '--junit', '/dev/full'] }],
  ['rescore, where the disk is full', 1, { line: [...RESCORE, '--junit', '/dev/full'] }],
  ['eval, where stdout is full', 1, { line: EVAL, stdout: '/dev/full' }],
  [
    'eval in memory, where nobody reads stdout',
    1,
    { line: EVAL, env: IN_MEMORY, during: (child) => child.stdout!.destroy() },
  ],
];
