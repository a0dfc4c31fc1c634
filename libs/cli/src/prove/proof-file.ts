import { toMarkdownCode as code } from '@dacapo/evaluation';
import { isJsonObject } from '@dacapo/protocol';
import { VERSION } from '../version.js';
import { hasItsDigest, PROOF_FORMAT, type ProofSide, type ProvedOthers, type SealedProof } from './proof.js';

const DATA = /\n```json\n(\{\n.*?\n\})\n```\n/s;

/** Writes a proof as Markdown: a summary for reviewers, and the data that it is made from. */
export function writeProofFile(proof: SealedProof): string {
  const { key, trace_id: traceId, failure, base, candidate, test, cassette, others } = proof;
  const lines = [
    `# Proved fix: ${code(key)}`,
    '',
    `A recorded call of ${code(key)}${traceId === undefined ? '' : ` (trace ${code(traceId)})`} failed with ${code(`${failure.name}: ${failure.message}`)}.`,
    '',
    `| | Base ${code(short(base.commit))} | This change${describeCommit(candidate)} |`,
    '| --- | --- | --- |',
    '| The failing call | **red**: it fails as it was recorded | **green**: it does not fail, and its test passes |',
    ...(others === null ? [] : [`| ${others.calls} other calls | | ${describeCounts(others)} |`]),
    `| Time of the failing call, one run | ${formatMs(base.duration_ms)} | ${formatMs(candidate.duration_ms)} |`,
    ...(others === null
      ? []
      : [
          `| Time of the other calls, one run | ${formatMs(base.others_ms)} | ${formatMs(candidate.others_ms)} |`,
        ]),
    `| Ran live | ${formatLive(base)} | ${formatLive(candidate)} |`,
    ...(Object.keys(candidate.answered_by_test).length === 0
      ? []
      : [
          `| Answered by the test | ${formatCounts(base.answered_by_test)} | ${formatCounts(candidate.answered_by_test)} |`,
        ]),
    '',
    describeOthers(others),
    '',
    `Test ${code(test.file)}, cassette ${code(cassette.name)}. Check it without a key or a network: ${code('npx dacapo prove --check')}.`,
    '',
    '<details><summary>Data</summary>',
    '',
    '```json',
    JSON.stringify(proof, undefined, 2),
    '```',
    '',
    '</details>',
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Reads a proof. Its summary must be that of its data.
 *
 * @returns the proof, or why the file is none, as a clause
 */
export function readProofFile(text: string): SealedProof | string {
  const normalized = text.replaceAll('\r\n', '\n');
  const [, data] = DATA.exec(normalized) ?? [];
  if (data === undefined) return 'it has no data';
  let json: unknown;
  try {
    json = JSON.parse(data);
  } catch {
    return 'its data is not JSON';
  }
  if (!isJsonObject(json)) return 'its data is not JSON';
  if (json['proof'] !== PROOF_FORMAT)
    return `its format is ${JSON.stringify(json['proof'])}, and this version reads format ${PROOF_FORMAT}`;
  const proof = json as unknown as SealedProof;
  try {
    if (!hasItsDigest(proof)) return 'its data was edited';
    if (writeProofFile(proof) === normalized) return proof;
    const { dacapo } = proof.versions;
    return dacapo === VERSION
      ? 'its text was edited'
      : `version ${dacapo} of dacapo wrote it, and this is version ${VERSION}`;
  } catch {
    return 'its data is incomplete';
  }
}

function describeOthers(others: ProvedOthers | null): string {
  if (others === null) return '**No other call was replayed**, so nothing shows that the fix harms none.';
  const { calls, counts, interval } = others;
  return (
    `**${counts.harmed} of ${calls} other calls harmed${counts.unknown === 0 ? '' : `, ${counts.unknown} unknown`}.** ` +
    `95 % interval of the share that is ${counts.unknown === 0 ? 'harmed' : 'harmed or unknown'}: ${formatPercent(interval.low)} to ${formatPercent(interval.high)}. ` +
    'No two of them are of one session or have equal arguments.'
  );
}

function describeCounts({ counts }: ProvedOthers): string {
  const named = (['unharmed', 'harmed', 'unknown'] as const).filter((state) => counts[state] > 0);
  return named.map((state) => `${counts[state]} ${state}`).join(', ');
}

function describeCommit({ commit, uncommitted }: SealedProof['candidate']): string {
  if (uncommitted.length === 0) return ` ${code(short(commit))}`;
  return `: ${code(short(commit))} with ${uncommitted.length} changed ${uncommitted.length === 1 ? 'file' : 'files'}`;
}

export function short(commit: string): string {
  return commit.slice(0, 8);
}

export function formatMs(ms: number | undefined): string {
  return ms === undefined ? 'unknown' : `${ms.toFixed(1)} ms`;
}

function formatPercent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function formatLive({ ran_live: ran }: ProofSide): string {
  return Object.keys(ran).length === 0 ? 'nothing, so models cost nothing' : formatCounts(ran);
}

function formatCounts(counts: Readonly<Record<string, number>>): string {
  const keys = Object.entries(counts).map(([key, count]) => `${code(key)} ×${count}`);
  return keys.length === 0 ? 'nothing' : keys.join(', ');
}
