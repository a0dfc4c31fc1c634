import { hasMembers } from '@dacapo/protocol';

/** A response may be nested in a stream event or in a library's own object. */
const DEEPEST = 4;
/** Fields that a response of OpenAI repeats from its request. */
const REPEATED = new Set([
  'instructions',
  'tools',
  'tool_choice',
  'text',
  'prompt',
  'metadata',
  'user',
  'input',
  'reasoning',
  'prompt_cache_key',
  'safety_identifier',
  'previous_response_id',
  'conversation',
]);

/** Copies an answer without the fields that it repeats from an unrecorded request. Returns the same object if it repeats none. */
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
