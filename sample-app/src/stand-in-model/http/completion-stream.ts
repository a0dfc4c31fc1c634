import { STAND_IN_MODEL } from '../identity.js';
import { type Completion, finishReason, formatToolCalls } from './completion.js';

/** The events of a streamed answer, one per word, including `data:` prefixes and `[DONE]`. */
export function* completionEvents(completion: Completion, includeUsage: boolean): Generator<string> {
  const { id, created, reply, usage } = completion;
  const event = (choices: unknown[], more: object = {}): string =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model: STAND_IN_MODEL, choices, ...more })}\n\n`;
  const delta = (part: object): string => event([{ index: 0, delta: part, finish_reason: null }]);

  yield delta({ role: 'assistant', content: '' });
  for (const [index, call] of formatToolCalls(reply).entries())
    yield delta({ tool_calls: [{ index, ...call }] });
  for (const word of reply.text.match(/\S+\s*/g) ?? []) yield delta({ content: word });
  yield event([{ index: 0, delta: {}, finish_reason: finishReason(reply) }]);
  if (includeUsage) yield event([], { usage });
  yield 'data: [DONE]\n\n';
}
