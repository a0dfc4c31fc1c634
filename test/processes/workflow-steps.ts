import { execFile } from 'node:child_process';

interface Step {
  readonly name: string;
  readonly script: string;
  /** Runs even after a failed step. */
  readonly always: boolean;
}

/** The steps of a workflow for GitHub Actions that run commands, as GitHub passes them to bash. */
function readSteps(workflow: string): Step[] {
  const [, steps = ''] = /\n {4}steps:\n([^]*)/.exec(workflow) ?? [];
  return steps.split(/^ {6}- /m).flatMap((step) => {
    const [, inline, block] = /^ *run: (?:\|\n([^]*)|(.*))/m.exec(step) ?? [];
    const script = (inline?.replace(/^ {10}/gm, '') ?? block ?? '').trim();
    const [, name = script] = /^ *name: (.*)/m.exec(step) ?? [];
    return script === '' ? [] : [{ name, script, always: /^ *if: .*!cancelled\(\)/m.test(step) }];
  });
}

export interface StepsRun {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly edit?: (script: string) => string;
}

/**
 * Runs the steps as GitHub does, except for the installation: everything is installed already.
 *
 * @returns the exit code of each step that ran, by its name
 */
export async function runSteps(
  workflow: string,
  { cwd, env, edit = (script) => script }: StepsRun,
): Promise<Record<string, number>> {
  const codes: Record<string, number> = {};
  for (const { name, script, always } of readSteps(workflow)) {
    if (script === 'npm ci') continue;
    if (!always && Object.values(codes).some((code) => code !== 0)) continue;
    codes[name] = await new Promise((resolve) => {
      execFile('bash', ['-e', '-c', edit(script)], { cwd, env: { ...process.env, ...env } }, (error) => {
        resolve(error === null ? 0 : Number(error.code));
      });
    });
  }
  return codes;
}
