const { Tracer } = require('@dacapo/tracer');

/** As in production, where the key comes from the environment. CI has none. */
const tracer = new Tracer({ apiKey: process.env.TRACER_API_KEY });

/** Tests set it. */
const clock = { now: 1 };

/** What really ran. */
const ran = [];

const find = tracer.withSpan('orders.find', async (id) => {
  ran.push('order');
  return { id, isLate: true };
});
const send = tracer.withSpan('mail.send', { mockOnReplay: true }, async () => {
  ran.push('mail');
});
const answer = tracer.withSpan('desk.answer', async (question) => {
  const { isLate } = await find('o-1');
  const text = isLate ? `${question} It is late.` : question;
  await send({ text, sentAt: clock.now });
  return { text };
});
const stream = tracer.withSpan('desk.stream', async function* () {
  yield (await find('o-1')).id;
  yield 'end';
});

module.exports = { answer, stream, clock, ran };
