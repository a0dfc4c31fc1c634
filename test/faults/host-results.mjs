/** Results that the host uses incorrectly. */
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { collectIds } from './span-ids.mjs';

/** Results that end more than once, in different ways. */
export function endsTwice(tracer) {
  const { note, take } = collectIds(tracer);
  const results = [
    (text) => ({
      then(resolve, reject) {
        resolve(text);
        resolve('again');
        reject(new Error('late'));
      },
    }),
    (text) => {
      const stream = Readable.from([text]);
      stream.on('end', () => stream.destroy(new Error('late')));
      return stream.on('error', () => {});
    },
    (text) =>
      (async function* () {
        yield text;
      })(),
  ];
  const answer = tracer.withSpan('answer', (question, number) => {
    note();
    return results[number % results.length](`${number}: ${question.length}`);
  });
  return async (question, number) => {
    const result = answer(question, number);
    if (result.then !== undefined) return { text: await result, ids: take() };
    let text = '';
    for await (const chunk of result) text += chunk;
    if (result.return !== undefined) {
      await result.return();
      await result.return();
    }
    return { text, ids: take() };
  };
}

/** Generators from which the host takes only the first item. Each one records when it is released. */
export function abandonsGenerators(tracer) {
  const { note, take } = collectIds(tracer);
  let closed = 0;
  const asyncItems = tracer.withSpan('answer', async function* (question, number) {
    note();
    try {
      for (;;) yield `${number}: ${question.length}`;
    } finally {
      closed++;
    }
  });
  const items = tracer.withSpan('answer', function* (question, number) {
    note();
    try {
      for (;;) yield `${number}: ${question.length}`;
    } catch (error) {
      yield error.message;
    } finally {
      closed++;
    }
  });
  return async (question, number) => {
    let text;
    if (number % 3 === 0) {
      for await (text of asyncItems(question, number)) break;
    } else if (number % 3 === 1) {
      for (text of items(question, number)) break;
    } else {
      const iterator = items(question, number);
      iterator.next();
      text = iterator.throw(new Error('enough')).value;
      iterator.return();
    }
    return { text: `${text}, ${closed} closed`, ids: take() };
  };
}

/** Streams that the host cancels, destroys or aborts after the first chunk. Each one records why it ended. */
export function cancelsStreams(tracer) {
  const { note, take } = collectIds(tracer);
  let reasons = [];
  const webStream = tracer.withSpan('answer', (question, number) => {
    note();
    return new ReadableStream({
      pull: (controller) => controller.enqueue(`${number}: ${question.length}`),
      cancel: (reason) => void reasons.push(reason),
    });
  });
  const nodeStream = tracer.withSpan('answer', (question, number, signal) => {
    note();
    const chunks = (function* () {
      for (;;) yield `${number}: ${question.length}`;
    })();
    return Readable.from(chunks, { signal }).on('error', (error) => reasons.push(error.name));
  });
  return async (question, number) => {
    let text;
    if (number % 2 === 0) {
      const reader = webStream(question, number).getReader();
      ({ value: text } = await reader.read());
      await reader.cancel('enough');
    } else {
      const abort = new globalThis.AbortController();
      const stream = nodeStream(question, number, abort.signal);
      for await (text of stream.iterator({ destroyOnReturn: false })) break;
      abort.abort();
      await new Promise((resolve) => stream.once('close', resolve));
    }
    const why = reasons.join();
    reasons = [];
    return { text: `${text} ${why}`, ids: take() };
  };
}
