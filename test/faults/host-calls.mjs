/**
 * Functions that the host calls once for each question with its number. They return the answer and the ids of spans that have
 * ended. `misbehaviour` is the fault of the host's own code.
 */
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { injectTraceContext, runWithTraceContext } from '@dacapo/tracer';
import { abandonsGenerators, cancelsStreams, endsTwice } from './host-results.mjs';
import { collectIds } from './span-ids.mjs';

function plain(tracer) {
  let spanId;
  const answer = tracer.withSpan('answer', (question, number) => {
    ({ spanId } = tracer.getCurrentSpan());
    return `${number}: ${question.length}`;
  });
  return (question, number) => ({ text: answer(question, number), ids: [spanId] });
}

/** The wall clock jumps an hour ahead and back during each call. */
function clockJumps(tracer) {
  const { note, take } = collectIds(tracer);
  const realNow = Date.now;
  const answer = tracer.withSpan('answer', async (question, number) => {
    note();
    const jumpMs = (number % 2 === 0 ? 1 : -1) * 3_600_000;
    Date.now = () => realNow() + jumpMs;
    await sleep(1);
    return `${number}: ${question.length}`;
  });
  return async (question, number) => ({ text: await answer(question, number), ids: take() });
}

/** Work where the context of the caller is lost, with and without passing it on. */
function losesContext(tracer) {
  const { note, take } = collectIds(tracer);
  const work = tracer.withSpan('work', (text) => {
    note();
    return text;
  });
  const jobs = [];
  const elsewhere = setInterval(() => {
    for (const job of jobs.splice(0)) job();
  }, 1);
  elsewhere.unref();
  const events = new EventEmitter();
  events.on('job', (text, done) => done(work(text)));

  const ask = tracer.withSpan('ask', (question, number) => {
    note();
    const text = `${number}: ${question.length}`;
    const carrier = injectTraceContext({});
    let settle;
    const answers = [];
    const done = (answer) => (settle === undefined ? answers.push(answer) : settle(answer));
    const ways = [
      () => jobs.push(() => done(work(text))),
      () => jobs.push(() => runWithTraceContext(carrier, () => done(work(text)), { incoming: 'continue' })),
      () => events.emit('job', text, done),
    ];
    ways[number % ways.length]();
    return { then: (resolve) => (answers.length > 0 ? resolve(answers[0]) : (settle = resolve)) };
  });
  return async (question, number) => {
    const alive = setTimeout(() => {}, 60_000);
    const text = await ask(question, number);
    clearTimeout(alive);
    return { text, ids: take() };
  };
}

/** Values that cannot be read. */
function throwsWhenRead(tracer) {
  const { note, take } = collectIds(tracer);
  const unreadable = () => ({
    get secret() {
      throw new Error('getter');
    },
    toJSON() {
      throw new Error('toJSON');
    },
    proxy: new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('trap');
        },
      },
    ),
  });
  const answer = tracer.withSpan('answer', (question, number, value) => {
    note();
    tracer.getCurrentSpan().addContext(unreadable());
    return { text: `${number}: ${question.length}`, value };
  });
  return (question, number) => ({ text: answer(question, number, unreadable()).text, ids: take() });
}

/** Calls that are unfinished when the process exits. */
function neverSettles(tracer) {
  const { note, take } = collectIds(tracer);
  const answer = tracer.withSpan('answer', () => {
    note();
    return new Promise(() => {});
  });
  return (question, number) => {
    void answer(question, number);
    return { text: `${number}: ${question.length}`, ids: take() };
  };
}

export const CALLS = {
  plain,
  'clock jumps': clockJumps,
  'ends twice': endsTwice,
  'abandons generators': abandonsGenerators,
  'cancels streams': cancelsStreams,
  'loses context': losesContext,
  'throws when read': throwsWhenRead,
  'never settles': neverSettles,
};

/** Faulty `capture.redact` hooks. */
export const MASKS = {
  throws: () => {
    throw new Error('mask');
  },
  rejects: () => Promise.reject(new Error('mask')),
  hangs: () => new Promise(() => {}),
};
