import type { Repository } from '../git/repository.js';
import type { Worktree } from '../git/worktree.js';
import type { Answer } from '../oracle/answer.js';

/** What a commit showed. */
export interface TestedCommit {
  readonly commit: string;
  readonly state: 'good' | 'bad' | 'skip';
  /** Why it shows nothing, as a clause. Empty otherwise. */
  readonly reason: string;
}

export interface BisectRequest {
  readonly repository: Repository;
  readonly tree: Worktree;
  /** Full ids; `good` is an ancestor of `bad`. Both are tested already. */
  readonly good: string;
  readonly bad: string;
  /** Runs the recorded call on the code of the worktree. */
  readonly test: () => Promise<Answer>;
  readonly onTested: (tested: TestedCommit) => Promise<void>;
}

/**
 * Lets `git bisect` choose the commits, in the worktree alone: its state is there, and nothing of the user's checkout changes.
 *
 * @returns the first bad commit, or several if the commits between them show nothing
 */
export async function findFirstBad(request: BisectRequest): Promise<string[]> {
  const { repository, tree, good, bad } = request;
  const bisect = (...args: string[]): Promise<string> => repository.git('-C', tree.root, 'bisect', ...args);
  await bisect('start', '--no-checkout', bad, good);
  for (;;) {
    const candidates = await listCandidates(request);
    if (candidates !== undefined) return candidates;
    const commit = (await repository.git('-C', tree.root, 'rev-parse', 'BISECT_HEAD')).trim();
    const tested = await testCommit(request, commit);
    await request.onTested(tested);
    // With nothing but skipped commits left, git fails: the log has the answer.
    await bisect(tested.state, commit).catch(() => undefined);
  }
}

/** @returns `undefined` while commits are left to test */
async function listCandidates({ repository, tree, bad }: BisectRequest): Promise<string[] | undefined> {
  const git = (...args: string[]): Promise<string> => repository.git('-C', tree.root, ...args);
  const log = await git('bisect', 'log');
  const [, first] = /^# first bad commit: \[([0-9a-f]+)\]/m.exec(log) ?? [];
  if (first !== undefined) return [first];
  const possible = [...log.matchAll(/^# possible first bad commit: \[([0-9a-f]+)\]/gm)].map(
    ([, id = '']) => id,
  );
  if (possible.length > 0) return [...new Set(possible)];
  // Git says nothing when the good commit is the parent of the bad one.
  const head = (await git('rev-parse', 'BISECT_HEAD').catch(() => '')).trim();
  return head === '' ? [bad] : undefined;
}

export async function testCommit(
  { tree, test }: Pick<BisectRequest, 'tree' | 'test'>,
  commit: string,
): Promise<TestedCommit> {
  await tree.moveTo(commit);
  const { state, reason } = await test();
  const states = { red: 'bad', green: 'good', 'not shown': 'skip' } as const;
  return { commit, state: states[state], reason };
}
