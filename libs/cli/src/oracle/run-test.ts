import type { ReportedOutcome } from '@dacapo/testing/internal';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { type ProgramPlace, projectEnvironment, runProgram } from '../programs/run-program.js';
import { type Answer, judgeTest } from './answer.js';
import { parseLines } from './run-replays.js';

export interface CassetteTestRun {
  /** The program of the runner with its arguments. */
  readonly command: readonly string[];
  /** Relative to the project's folder, with `/`. */
  readonly testFile: string;
  /** SHA-256 of the cassette. */
  readonly sha256: string;
}

/** Runs the test of a cassette with the project's runner. */
export async function runCassetteTest(
  { command, testFile, sha256 }: CassetteTestRun,
  place: ProgramPlace,
): Promise<Answer> {
  const { OUTCOMES_FILE } = await import('@dacapo/testing/internal');
  const folder = mkdtempSync(join(tmpdir(), 'dacapo-test-'));
  const file = join(folder, 'outcomes.ndjson');
  try {
    const env = projectEnvironment(place.env, { [OUTCOMES_FILE]: file });
    const ended = await runProgram([...command, testFile], { ...place, env });
    const outcomes = existsSync(file) ? parseLines(readFileSync(file, 'utf8')) : [];
    // Paths of a temporary worktree would help nobody.
    const log = ended.log.replaceAll(`${place.cwd}${sep}`, '');
    return judgeTest({ ...ended, log }, outcomes as unknown as ReportedOutcome[], sha256);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
