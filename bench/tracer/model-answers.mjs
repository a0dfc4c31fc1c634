/** Responses of a chat model, created in the process: the cost of a connection would hide everything else. */
import { document } from './values.mjs';

const answer = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  usage: { prompt_tokens: 900, completion_tokens: 500 },
};
const WHOLE = JSON.stringify({
  ...answer,
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: document(2000) } }],
});

/** @returns a `fetch` that responds with 2 KB, or with a stream of so many chunks */
export function answersAtOnce(chunks) {
  const chunk = `data: ${JSON.stringify({
    ...answer,
    object: 'chat.completion.chunk',
    choices: [
      { index: 0, delta: { content: 'some forty characters of an answer here ' }, finish_reason: null },
    ],
  })}\n\n`;
  const events = `${chunk.repeat(chunks)}data: [DONE]\n\n`;
  return async () =>
    chunks > 0
      ? new globalThis.Response(events, { headers: { 'content-type': 'text/event-stream' } })
      : new globalThis.Response(WHOLE, { headers: { 'content-type': 'application/json' } });
}
