import { StartFailure } from './failure.mjs';
import { ask } from './service.mjs';

const AT_ONE_TIME = 3;

/** Sample tickets. The report shows the trace of the second one. */
export const TICKETS = [
  { customer: 'Ada', message: 'Where is my order LM-1042? I need the lamp on Thursday.' },
  { customer: 'Bo', message: 'A lamp of order LM-1057 arrived broken. Can I have a new one?' },
  { customer: 'Ada', message: 'My card was charged twice for the same invoice!' },
  { customer: 'Cy', message: 'How often do you send a webhook again when our server is away?' },
  { customer: 'Cy', message: 'Our production is down: every request answers 429 since noon.' },
  { customer: 'Di', message: 'The SDK throws LUMEN_TOKEN_EXPIRED. What do I do?' },
  { customer: 'Ed', message: 'How do I play a scene from a crontab with the CLI?' },
  { customer: 'Fay', message: 'I forgot my password and the link no longer works.' },
  { customer: 'Gus', message: 'Where is LM-9999? It is three days late.' },
  { customer: 'Hal', message: 'Lovely light, thanks! One idea: make a green one.' },
  { customer: 'Ida', message: 'Please delete my account and my invoices.' },
  { customer: 'Jo', message: 'Since the update my lamp keeps blinking blue.' },
];

/**
 * Sends the tickets, a few at a time. Returns `{ request, ticket }` or `{ request, failure }` for each, in order.
 *
 * @throws StartFailure if all of them failed
 */
export async function sendTickets(appUrl, onSent) {
  const results = [];
  const waiting = [...TICKETS.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [position, request] = next;
      results[position] = await sendTicket(appUrl, request);
      onSent(results.filter(Boolean).length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONE_TIME }, work));
  if (results.every(({ failure }) => failure)) throw results[0].failure;
  return results;
}

async function sendTicket(appUrl, request) {
  try {
    return { request, ticket: await ask(`${appUrl}/tickets`, { method: 'POST', body: request }) };
  } catch (failure) {
    if (failure instanceof StartFailure) return { request, failure };
    throw failure;
  }
}
