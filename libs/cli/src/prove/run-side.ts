import { join } from 'node:path';
import { type Answer, notShown } from '../oracle/answer.js';
import { prepareCode, type ProjectPrograms } from '../oracle/project-code.js';
import { type ReplaysResult, runReplays } from '../oracle/run-replays.js';
import { runCassetteTest } from '../oracle/run-test.js';
import type { OtherRecordings } from './other-recordings.js';
import type { ProofCase } from './prove-cases.js';

/** A case with the recordings of other calls. */
export interface ProofTask extends ProofCase {
  /** `undefined`: none is replayed. */
  readonly others: OtherRecordings | undefined;
}

/** What one side shows of a case. */
export interface SideResult {
  readonly answer: Answer;
  readonly others: ReplaysResult;
}

const NONE: ReplaysResult = { calls: [], problem: undefined };

/** Runs the test of each case, and replays the other calls, on the code in a folder. @returns a result for each task */
export async function runSide(
  folder: string,
  tasks: readonly ProofTask[],
  programs: ProjectPrograms,
  { isPrepared = false }: { readonly isPrepared?: boolean } = {},
): Promise<SideResult[]> {
  const problem = isPrepared ? undefined : await prepareCode({ folder }, programs);
  if (problem !== undefined) {
    return tasks.map(() => ({ answer: notShown(problem), others: { calls: [], problem } }));
  }
  const { config, testCommand: command, env, timeoutMs, signal } = programs;
  const place = { cwd: folder, env, timeoutMs, signal };
  const results: SideResult[] = [];
  for (const { testFile, sha256, others: recordings } of tasks) {
    const answer = await runCassetteTest({ command, testFile, sha256 }, place);
    const replay = config?.replay;
    const others =
      recordings === undefined || replay === undefined
        ? NONE
        : await runReplays(replay, [recordings.path], place);
    results.push({ answer, others });
  }
  return results;
}

/** The files that a base needs to run the tests of tasks. Relative to the project. */
export function listCopied(
  tasks: readonly ProofTask[],
  { config }: ProjectPrograms,
  has: (path: string) => boolean,
): string[] {
  const entry = config?.replay?.module;
  const isEntryNew = entry !== undefined && !has(entry) && tasks.some(({ others }) => others !== undefined);
  return [...new Set([...tasks.flatMap(({ files }) => files), ...(isEntryNew ? [join(entry)] : [])])];
}
