import { execFile } from 'node:child_process';
import { join } from 'node:path';

const FUNCTIONS = [
  'async, throws',
  'async, throws later',
  'async, handles inside',
  'async, gives a promise that it handles too',
  'sync, handles its own promise',
  'sync, handles its own promise later',
  'sync, handles what it derived',
  'sync, gives a promise that nobody handles',
  'sync, throws',
  'a promise with methods that nobody handles',
  'a promise with methods that it handles',
  'a thenable that rejects',
  'a value',
];
const CALLERS = [
  'ignores',
  'awaits',
  'gathers in Promise.all',
  'handles it in each way',
  'handles it too late',
  'ignores, and listens for it',
];

interface End {
  readonly code: number;
  readonly stdout: string;
}

function run(...argv: string[]): Promise<End> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(__dirname, 'application.mjs'), ...argv],
      (_, stdout, stderr) => {
        const code = child.exitCode ?? -1;
        // That the application could not be loaded at all would look like an error of its own.
        if (stderr.includes('ERR_MODULE_NOT_FOUND')) throw new Error(stderr);
        resolve({ code, stdout });
      },
    );
  });
}

/** Nothing tells whether a promise is handled elsewhere (docs/adr): of the two errors, the process goes on. */
const UNHEARD: Partial<Record<string, End>> = {
  ignores: { code: 0, stdout: '' },
  'handles it too late': { code: 0, stdout: 'caught refused\n' },
  'ignores, and listens for it': { code: 0, stdout: '' },
};

describe('A process ends with the same code, and sees the same, whether a function is wrapped or not', () => {
  const NOT_HANDLED = 'sync, gives a promise that nobody handles';

  it.each(FUNCTIONS.filter((fn) => fn !== NOT_HANDLED))('%s', async (fn) => {
    const plain = await Promise.all(
      CALLERS.map(async (caller) => ({ caller, ...(await run('plain', fn, caller)) })),
    );
    // Callers whose process goes on share one. The one that listens for unhandled rejections is the last.
    const goOn = plain.filter(({ code }) => code === 0);
    expect(await run('traced', fn, ...goOn.map(({ caller }) => caller))).toEqual({
      code: 0,
      stdout: goOn.map(({ stdout }) => stdout).join(''),
    });
    for (const end of plain.filter(({ code }) => code !== 0))
      expect({ caller: end.caller, ...(await run('traced', fn, end.caller)) }).toEqual(end);
  });

  it(NOT_HANDLED, async () => {
    for (const caller of CALLERS) {
      const [traced, plain] = await Promise.all([
        run('traced', NOT_HANDLED, caller),
        run('plain', NOT_HANDLED, caller),
      ]);
      const unheard = UNHEARD[caller];
      expect({ caller, ...traced }).toEqual({ caller, ...(unheard ?? plain) });
      if (unheard !== undefined) expect(plain).not.toEqual(unheard);
    }
  });
});
