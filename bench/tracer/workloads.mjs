/** What the application does: three shapes of traced work, each called with the number of its turn. */
import { chat, document } from './values.mjs';

/** A: an async function at once, about 200 B in and out. */
const small = {
  spansATurn: 1,
  build: (trace) => {
    const answer = trace('small', async (question) => ({ ...question, ok: true }));
    return (turn) =>
      answer({
        id: turn,
        text: 'Where is my order? It was due on Monday and the page says nothing.',
        tags: ['order', 'late'],
        customer: { id: 'c-1042', plan: 'basic' },
        priority: 2,
      });
  },
};

/** B: chat, about 4 KB in and 2 KB out. */
const conversation = {
  spansATurn: 1,
  build: (trace) => {
    const complete = trace('chat', async () => document(2000));
    return (turn) => complete({ model: 'm', temperature: 0.2, turn, messages: chat(4000) });
  },
};

/** C: a root with five children of about 500 B. */
const tree = {
  spansATurn: 6,
  build: (trace) => {
    const child = trace('child', async (part) => ({ ...part, done: true }));
    const root = trace('root', async (turn) => {
      for (let step = 0; step < 5; step++) {
        await child({
          turn,
          step,
          note: 'x'.repeat(180),
          items: [1, 2, 3, 4, 5],
          owner: { name: 'support', queue: 'billing' },
        });
      }
      return turn;
    });
    return root;
  },
};

export const WORKLOADS = { A: small, B: conversation, C: tree };
