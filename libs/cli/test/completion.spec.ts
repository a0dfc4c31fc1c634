import { execFileSync } from 'node:child_process';
import { run } from '../src/run.js';
import { CapturedIo } from './captured-io.js';

describe('dacapo completion', () => {
  let script: string;
  beforeAll(async () => {
    const io = new CapturedIo();
    expect(await run(['completion', 'bash'], io)).toBe(0);
    script = io.out;
  });

  /** What bash offers at the end of a line. */
  const complete = (...words: string[]): string[] => {
    const typed = words.map((word) => `'${word}'`).join(' ');
    const ask = `COMP_WORDS=(dacapo ${typed}); COMP_CWORD=${words.length}; _dacapo; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const output = execFileSync('bash', ['--norc', '-c', `${script}\n${ask}`], { encoding: 'utf8' });
    return output.split('\n').filter((line) => line !== '');
  };

  it('completes commands and subcommands', () => {
    expect(complete('ser')).toEqual(['serve']);
    expect(complete('datasets', '')).toEqual(['list', 'create', 'show', 'add', 'export', 'delete']);
    expect(complete('datasets', 'ad')).toEqual(['add']);
  });

  it('completes options and their choices, also behind values', () => {
    expect(complete('runs', 'list', '--li')).toEqual(['--limit']);
    expect(complete('runs', 'list', '--key', 'classify', '--li')).toEqual(['--limit']);
    expect(complete('traces', 'list', '--sort', 'd')).toEqual(['duration_ms']);
  });

  it('leaves files to the shell', () => {
    expect(complete('replay', 'dist/')).toEqual([]);
    expect(complete('replay', 'dist/app.module.js', '--junit', '')).toEqual([]);
  });

  it('is registered for the command, with files where it has nothing to offer', () => {
    const registered = execFileSync('bash', ['--norc', '-c', `${script}\ncomplete -p dacapo`], {
      encoding: 'utf8',
    });
    expect(registered.trim()).toBe('complete -o default -F _dacapo dacapo');
  });

  it.each(['zsh', 'fish'])('is written for %s too', async (shell) => {
    const io = new CapturedIo();
    expect(await run(['completion', shell], io)).toBe(0);
    expect(io.out).toContain('datasets add');
  });

  it('refuses another shell', async () => {
    const io = new CapturedIo();
    expect(await run(['completion', 'tcsh'], io)).toBe(2);
    expect(io.err).toContain('Allowed choices are bash, zsh, fish.');
  });
});
