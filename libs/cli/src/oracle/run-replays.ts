import { isJsonObject, type JsonObject } from '@dacapo/protocol';
import type { ReplayedRoot } from '@dacapo/testing/internal';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import type { ReplaySettings } from '../project-config/project-config.js';
import { type ProgramPlace, projectEnvironment, runProgram } from '../programs/run-program.js';
import type { ReplayedCassetteCall } from './replay-child.js';
import { REPLAY_CHILD } from './replay-word.js';

export type ReplayedCall = ReplayedCassetteCall & ReplayedRoot;

export interface ReplaysResult {
  /** Those that were replayed, in order. */
  readonly calls: readonly ReplayedCall[];
  /** Why calls are missing; `undefined` if all were replayed. */
  readonly problem: string | undefined;
}

/**
 * Replays the outermost calls of cassettes through the project's code in a process of its own. Every wrapped call inside them is answered
 * from the cassette, connections are denied, and nothing is sent to a service.
 *
 * @param files absolute paths of cassettes
 */
export async function runReplays(
  { module, export: exportName, node }: ReplaySettings,
  files: readonly string[],
  place: ProgramPlace,
): Promise<ReplaysResult> {
  const entry = resolve(place.cwd, module);
  if (!existsSync(entry))
    return {
      calls: [],
      problem: `replay.module ${module} does not exist there. If a build makes it, add the build to "prepare" in dacapo.config.json`,
    };
  const folder = mkdtempSync(join(tmpdir(), 'dacapo-replays-'));
  const out = join(folder, 'calls.ndjson');
  const [, program = ''] = process.argv;
  try {
    const command = [
      process.execPath,
      ...node,
      program,
      REPLAY_CHILD,
      out,
      entry,
      exportName ?? '',
      ...files,
    ];
    const { isTimedOut, log } = await runProgram(command, { ...place, env: projectEnvironment(place.env) });
    const lines = existsSync(out) ? parseLines(readFileSync(out, 'utf8')) : [];
    const calls = lines.filter((line) => typeof line['index'] === 'number') as unknown as ReplayedCall[];
    if (lines.at(-1)?.['end'] === true && !isTimedOut) return { calls, problem: undefined };
    return { calls, problem: describeProblem(lines, isTimedOut, log).replaceAll(`${place.cwd}${sep}`, '') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function describeProblem(lines: readonly JsonObject[], isTimedOut: boolean, log: string): string {
  if (isTimedOut) return 'the replay ran into its timeout';
  const failed = lines.at(-1)?.['failed'];
  if (isJsonObject(failed) && typeof failed['message'] === 'string')
    return `the replay failed: ${failed['message']}`;
  return `the application ended the process of the replay${log.trim() === '' ? '' : `: ${log.trim()}`}`;
}

/** The last line may be cut. */
export function parseLines(text: string): JsonObject[] {
  return text.split('\n').flatMap((line) => {
    try {
      const json: unknown = JSON.parse(line);
      return isJsonObject(json) ? [json] : [];
    } catch {
      return [];
    }
  });
}
