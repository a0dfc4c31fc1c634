const WORDS =
  'the customer asks where the order is and when it will arrive because the page shows no date and “the chat” said it was sent'.split(
    ' ',
  );

let seed = 7;
const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;

function text(length) {
  let out = '';
  while (out.length < length) out += `${WORDS[Math.floor(random() * WORDS.length)]} `;
  return out.slice(0, length);
}

const CHATS = Array.from({ length: 32 }, () =>
  Array.from({ length: 8 }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: text(480) })),
);
const DOCUMENTS = Array.from({ length: 32 }, () => ({
  id: 'chatcmpl-1',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text(1800) } }],
  usage: { prompt_tokens: 981, completion_tokens: 402 },
}));

let next = 0;

/** Messages of about 4 KB as JSON. 32 different ones, so that no arm profits from a repeated string. */
export const chat = () => CHATS[next++ % CHATS.length];

/** An answer of about 2 KB as JSON. */
export const document = () => DOCUMENTS[next++ % DOCUMENTS.length];
