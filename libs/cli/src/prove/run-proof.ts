import type { ChangedFile, Repository } from '../git/repository.js';
import { Worktree } from '../git/worktree.js';
import { addCounts } from '../oracle/answer.js';
import { hasSameLockFile, type ProjectPrograms } from '../oracle/project-code.js';
import type { ReplaysResult } from '../oracle/run-replays.js';
import { counted } from '../output/table.js';
import { VERSION } from '../version.js';
import { describeHarm, judgeOthers, type OtherCallState } from './judge-others.js';
import { type ProofSide, PROOF_FORMAT, sealProof, type SealedProof, summarizeOthers } from './proof.js';
import { listCopied, type ProofTask, runSide, type SideResult } from './run-side.js';

export interface ProofPlace {
  readonly repository: Repository;
  readonly programs: ProjectPrograms;
  /** The full id of the base. */
  readonly base: string;
  /** The full id of the commit that is checked out. */
  readonly head: string;
  readonly uncommitted: readonly ChangedFile[];
  /** How many other calls of a case may be unknown. */
  readonly allowedUnknown: number;
  readonly notify: (text: string) => void;
}

/** What was found about a case. */
export interface CaseResult {
  readonly task: ProofTask;
  readonly base: SideResult;
  readonly candidate: SideResult;
  /** What is missing, as sentences. Empty: it is proved. */
  readonly missing: readonly string[];
  readonly proof: SealedProof;
}

/**
 * Runs the cases on the base and on the user's checkout with its uncommitted changes. Both sides run in worktrees, prepared by the same
 * commands, so that nothing but the code differs.
 */
export async function runProof(tasks: readonly ProofTask[], place: ProofPlace): Promise<CaseResult[]> {
  const { repository, programs, base, head, uncommitted, notify } = place;
  let copied: string[] = [];
  notify(`Running on the base, ${base.slice(0, 8)} …`);
  const before = await Worktree.with(repository, base, (tree) => {
    copied = listCopied(tasks, programs, (path) => tree.has(path));
    tree.copyFromCheckout(copied);
    return runSide(tree.folder, tasks, programs);
  });
  const changes = uncommitted.length === 0 ? '' : ` with ${counted(uncommitted.length, 'uncommitted file')}`;
  notify(`Running on this change, ${head.slice(0, 8)}${changes} …`);
  const after = await Worktree.with(repository, head, (tree) => {
    tree.applyChanges(uncommitted);
    return runSide(tree.folder, tasks, programs);
  });
  const packages = await describePackages(place);
  return tasks.flatMap((task, index): CaseResult[] => {
    const [was, is] = [before[index], after[index]];
    return was === undefined || is === undefined
      ? []
      : [concludeCase(task, was, is, { place, copied, packages })];
  });
}

interface Conclusion {
  readonly place: ProofPlace;
  readonly copied: readonly string[];
  readonly packages: Readonly<Record<'base' | 'candidate', ProofSide['packages']>>;
}

function concludeCase(
  task: ProofTask,
  base: SideResult,
  candidate: SideResult,
  { place, copied, packages }: Conclusion,
): CaseResult {
  const recorded = task.others;
  const states = judgeOthers(recorded?.calls ?? 0, base.others.calls, candidate.others.calls);
  const others = recorded === undefined ? null : summarizeOthers(states, recorded);
  const { config } = place.programs;
  const proof = sealProof({
    proof: PROOF_FORMAT,
    key: task.key,
    ...(task.traceId !== undefined && { trace_id: task.traceId }),
    failure: task.failure,
    cassette: { name: task.name, sha256: task.sha256 },
    test: { file: task.testFile, sha256: task.testSha256 },
    config_sha256: config?.hash ?? null,
    base: { ...toSide(place.base, base, packages.base), copied },
    candidate: {
      ...toSide(place.head, candidate, packages.candidate),
      uncommitted: place.uncommitted.map(({ path }) => path),
    },
    others,
    versions: { dacapo: VERSION, node: process.versions.node },
  });
  const missing = [
    ...describeAnswer('The base', base.answer, 'red'),
    ...describeAnswer('This change', candidate.answer, 'green'),
    // Only where the candidate differs from the recording, the base matters.
    ...(states.every((state) => state === 'unharmed') ? [] : describeProblem('On the base', base.others)),
    ...describeProblem('On this change', candidate.others),
    ...describeStates(states, { base, candidate }, place),
  ];
  return { task, base, candidate, missing, proof };
}

const MOST_SHOWN = 3;

/** The first calls that fail the proof; the others are counted. */
function describeStates(
  states: readonly OtherCallState[],
  sides: Readonly<Record<'base' | 'candidate', SideResult>>,
  { allowedUnknown }: ProofPlace,
): string[] {
  const isAllowed = states.filter((state) => state === 'unknown').length <= allowedUnknown;
  const failing = states.flatMap((state, index) =>
    state === 'harmed' || (state === 'unknown' && !isAllowed) ? [{ state, index }] : [],
  );
  const shown = failing.slice(0, MOST_SHOWN).map(({ state, index }) => {
    const find = ({ others }: SideResult) => others.calls.find((call) => call.index === index);
    return `Other call ${index + 1} is ${state}: ${describeHarm(find(sides.base), find(sides.candidate))}.`;
  });
  const more = failing.length - shown.length;
  return more > 0 ? [...shown, `${counted(more, 'more call')} like that.`] : shown;
}

function toSide(commit: string, { answer, others }: SideResult, packages: ProofSide['packages']): ProofSide {
  const times = others.calls.flatMap(({ duration_ms: ms }) => (ms === undefined ? [] : [ms]));
  return {
    commit,
    ...(answer.durationMs !== undefined && { duration_ms: round(answer.durationMs) }),
    ...(times.length > 0 && { others_ms: round(times.reduce((sum, ms) => sum + ms, 0)) }),
    ran_live: addCounts([answer.ranLive, ...others.calls.map(({ ran_live: ran }) => ran)]),
    answered_by_test: answer.answeredByTest,
    packages,
  };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function describeAnswer(
  side: string,
  { state, reason }: SideResult['answer'],
  wanted: 'red' | 'green',
): string[] {
  if (state === wanted) return [];
  if (state === 'not shown') return [`${side} is not shown to be ${wanted}: ${reason}`];
  return [
    state === 'green'
      ? `${side} is green: the recorded failure does not occur there, so nothing shows that this change fixed it. Name an older base with --base.`
      : `${side} is red: the recorded failure still occurs.`,
  ];
}

function describeProblem(side: string, { problem }: ReplaysResult): string[] {
  return problem === undefined ? [] : [`${side}, not all other calls were replayed: ${problem}.`];
}

/** A worktree without `prepare` commands uses the packages of the checkout. */
async function describePackages({ repository, programs, base }: ProofPlace): Promise<Conclusion['packages']> {
  if ((programs.config?.prepare ?? []).length > 0) return { base: 'prepared', candidate: 'prepared' };
  const isSame = await hasSameLockFile(repository, base);
  return { base: isSame ? 'linked' : 'linked, with another lock file', candidate: 'linked' };
}
