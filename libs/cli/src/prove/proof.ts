import { createHash } from 'node:crypto';
import { type Interval, wilsonInterval } from '@dacapo/evaluation';
import type { OtherCallState } from './judge-others.js';

/** The version of the data in a proof. */
export const PROOF_FORMAT = 1;

/** One side of a proof. */
export interface ProofSide {
  /** The full id. */
  readonly commit: string;
  /** Of the failing call, in ms. Calls inside it were answered, so this is the time of the code itself. */
  readonly duration_ms?: number;
  /** Total time of the other calls, in ms. */
  readonly others_ms?: number;
  /** Functions that ran instead of being answered, by key. */
  readonly ran_live: Readonly<Record<string, number>>;
  /** Functions that the test answered itself, because the recording ends before them, by key. */
  readonly answered_by_test: Readonly<Record<string, number>>;
  /** Where its packages come from. */
  readonly packages: 'prepared' | 'linked' | 'linked, with another lock file';
}

/** Other calls of the key. The recordings are beside the proof. */
export interface ProvedOthers {
  readonly file: string;
  readonly sha256: string;
  readonly calls: number;
  /** How often each state occurred. */
  readonly counts: Readonly<Record<OtherCallState, number>>;
  /** From 0: those that are not shown to be unharmed. */
  readonly unknown: readonly number[];
  /** 95 % interval of the share that is harmed or unknown. */
  readonly interval: Interval;
}

/** What a proof states. Everything in it is masked, and nothing of it becomes a command. */
export interface Proof {
  readonly proof: typeof PROOF_FORMAT;
  readonly key: string;
  readonly trace_id?: string;
  readonly failure: { readonly name: string; readonly message: string };
  readonly cassette: { readonly name: string; readonly sha256: string };
  readonly test: { readonly file: string; readonly sha256: string };
  /** SHA-256 of `dacapo.config.json`; `null` without one. */
  readonly config_sha256: string | null;
  readonly base: ProofSide & {
    /** Files of the candidate that ran on the code of the base. */
    readonly copied: readonly string[];
  };
  readonly candidate: ProofSide & {
    /** Files that differed from the commit. */
    readonly uncommitted: readonly string[];
  };
  /** `null`: none was replayed. */
  readonly others: ProvedOthers | null;
  readonly versions: { readonly dacapo: string; readonly node: string };
}

/** A proof with a digest that shows edits by hand. It is no signature: whoever has the tool can make one. */
export type SealedProof = Proof & { readonly digest: string };

export function sealProof(proof: Proof): SealedProof {
  return { ...proof, digest: digestOf(proof) };
}

export function hasItsDigest({ digest, ...proof }: SealedProof): boolean {
  return digest === digestOf(proof);
}

function digestOf(proof: Proof): string {
  return hashText(JSON.stringify(sortKeys(proof)));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sortKeys(member)]));
}

/** The SHA-256 of a text, whatever its line ends. */
export function hashText(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}

export function summarizeOthers(
  states: readonly OtherCallState[],
  { file, sha256 }: Pick<ProvedOthers, 'file' | 'sha256'>,
): ProvedOthers {
  const count = (state: OtherCallState): number => states.filter((one) => one === state).length;
  const counts = { unharmed: count('unharmed'), harmed: count('harmed'), unknown: count('unknown') };
  return {
    file,
    sha256,
    calls: states.length,
    counts,
    unknown: states.flatMap((state, index) => (state === 'unknown' ? [index] : [])),
    interval: wilsonInterval(states.length - counts.unharmed, states.length),
  };
}
