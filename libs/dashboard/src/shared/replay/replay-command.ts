/** A recorded call, by the key that replays it. */
export interface ReplayableCall {
  traceId: string;
  key: string;
}

/** The commands that replay calls: one for each key, on a line of its own. */
export function replayCommand(calls: readonly ReplayableCall[]): string {
  const byKey = new Map<string, string[]>();
  for (const { key, traceId } of calls) byKey.set(key, [...(byKey.get(key) ?? []), traceId]);
  return Array.from(byKey, ([key, traceIds]) => {
    const traces = [...new Set(traceIds)].map((id) => `--trace-id ${id}`);
    return `npx dacapo replay dist/main.js --key ${quoteWord(key)} ${traces.join(' ')}`;
  }).join('\n');
}

/** The command that replays the items of a version. */
export function replayDatasetCommand(of: { key: string; name: string; version: number }): string {
  return `npx dacapo replay dist/main.js --key ${quoteWord(of.key)} --dataset ${of.name}@${of.version}`;
}

/** The command that replays the calls with this key in a session, from a moment on. */
export function replaySessionCommand(from: { key: string; sessionId: string; since: string }): string {
  const { key, sessionId, since } = from;
  return `npx dacapo replay dist/main.js --key ${quoteWord(key)} --session ${quoteWord(sessionId)} --since ${since}`;
}

/** For a POSIX shell. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
