import { hasMembers } from '@dacapo/protocol';

/** A response is inside an event of a stream, or inside what a library makes of it. */
const DEEPEST = 4;
/** What a response of OpenAI repeats of its request. */
const REPEATED = new Set([
  ...['instructions', 'tools', 'tool_choice', 'text', 'prompt', 'metadata', 'user', 'input', 'reasoning'],
  ...['prompt_cache_key', 'safety_identifier', 'previous_response_id', 'conversation'],
]);

/** A copy of an answer without what it repeats of its request, where that is not recorded; the same object where it repeats nothing. */
export function withoutRequest(answer: unknown, depth = 0): unknown {
  if (!hasMembers(answer) || depth > DEEPEST) return answer;
  if (Array.isArray(answer)) return answer;
  const isResponse = answer['object'] === 'response';
  let isChanged = isResponse;
  const kept = Object.entries(answer).flatMap(([name, value]) => {
    if (isResponse && REPEATED.has(name)) return [];
    const without = withoutRequest(value, depth + 1);
    isChanged ||= without !== value;
    return [[name, without] as const];
  });
  return isChanged ? Object.fromEntries(kept) : answer;
}
