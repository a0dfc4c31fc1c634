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

/** @returns a `fetch` that responds with 2 KB, or with a stream of this many chunks with different texts */
export function answersAtOnce(chunks) {
  const [{ message }] = document(2000).choices;
  const writeEvent = (_, index) => {
    const content = message.content.slice((index * 40) % 1760).slice(0, 40);
    const choices = [{ index: 0, delta: { content }, finish_reason: null }];
    return `data: ${JSON.stringify({ ...answer, object: 'chat.completion.chunk', choices })}\n\n`;
  };
  const events = `${Array.from({ length: chunks }, writeEvent).join('')}data: [DONE]\n\n`;
  return async () =>
    chunks > 0
      ? new globalThis.Response(events, { headers: { 'content-type': 'text/event-stream' } })
      : new globalThis.Response(WHOLE, { headers: { 'content-type': 'application/json' } });
}
