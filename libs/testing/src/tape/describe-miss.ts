import type { ReplayMockMissError } from '@dacapo/tracer/engine';

const INDENT = '    ';

/**
 * @param rootKey the key of the outermost call
 * @param wasFailure whether the outermost call failed: its recording ends there
 */
export function describeMiss(error: ReplayMockMissError, rootKey: string, wasFailure: boolean): string {
  const { key, askedArguments, nearestArguments, differingPaths, problem } = error;
  const place = [rootKey, ...error.path].join(' > ');
  if (differingPaths.length === 0) {
    const cure = wasFailure ? cureBeyondFailure(key) : cureFor(key);
    return `- ${place}: ${problem}.\n${INDENT}${cure}`;
  }
  return [
    `- ${place}: its arguments differ from the recorded ones at ${differingPaths.join(', ')}.`,
    `${INDENT}now:      ${shorten(askedArguments)}`,
    `${INDENT}recorded: ${shorten(nearestArguments)}`,
    `${INDENT}If ${differingPaths.length === 1 ? 'this part' : 'these parts'} may differ, add normalize: ${writeNormalize(key, differingPaths)}.`,
    `${INDENT}${cureFor(key)}`,
  ].join('\n');
}

/** @param differingPaths where the arguments differ from the nearest recorded call; empty without one */
export function describeRootMiss(
  key: string,
  {
    keys,
    isTaken,
    differingPaths,
  }: { keys: readonly string[]; isTaken: boolean; differingPaths: readonly string[] },
): string {
  if (differingPaths.length > 0)
    return [
      `- ${key}: the test calls it with other arguments than the recorded ones. They differ at ${differingPaths.join(', ')}.`,
      `${INDENT}Pass the recorded arguments, or add normalize: ${writeNormalize(key, differingPaths)}.`,
    ].join('\n');
  if (isTaken)
    return `- ${key}: the test calls it more often than it was recorded.\n${INDENT}Record the cassette again.`;
  return `- ${key}: no outermost call of the cassette has this key. It has ${keys.map((one) => JSON.stringify(one)).join(', ')}.\n${INDENT}${cureFor(key)}`;
}

export function describeDenial(target: string, key: string | undefined): string {
  const where = key === undefined ? 'the test' : key;
  return `- ${where}: connected to ${target}, and cassettes deny the network.\n${INDENT}Record the function that connects (withSpan, @Traced, wrapClient), or list its key in live.`;
}

function cureFor(key: string): string {
  return `If the new call is right, record the cassette again with DACAPO_CASSETTES=renew, or let it run with live: [{ key: ${JSON.stringify(key)} }].`;
}

function cureBeyondFailure(key: string): string {
  return `The recorded call failed before it. If the new call is right, answer it in the test with answers: { ${JSON.stringify(key)}: () => … }.`;
}

function writeNormalize(key: string, paths: readonly string[]): string {
  return `{ ${JSON.stringify(key)}: [${paths.map((path) => JSON.stringify(path)).join(', ')}] }`;
}

const LONGEST = 300;

function shorten(text = ''): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
