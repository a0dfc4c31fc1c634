/** Minimal recording without an SDK: context, two clock reads, JSON of input and output, batches of 512. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { post } from './post.mjs';

export function createArm(url) {
  const context = new AsyncLocalStorage();
  let lines = [];
  const posts = [];
  const send = () => {
    const body = Buffer.from(`${lines.join('\n')}\n`);
    lines = [];
    posts.push(post(url, body));
  };
  let nextId = 0;
  const trace =
    (key, fn) =>
    (...args) => {
      const parent = context.getStore();
      const span = {
        trace: parent?.trace ?? randomUUID(),
        id: ++nextId,
        parent: parent?.id,
        start: performance.now(),
        input: JSON.stringify(args),
      };
      return context.run(span, fn, ...args).then((output) => {
        lines.push(
          `{"span":{"id":"${span.id}","trace_id":"${span.trace}","parent_id":"${span.parent}","key":"${key}","start":${span.start},"end":${performance.now()},"span_data":{"input":${span.input},"output":${JSON.stringify(output)}}}}`,
        );
        if (lines.length >= 512) send();
        return output;
      });
    };
  const finish = async () => {
    if (lines.length > 0) send();
    await Promise.all(posts);
  };
  return { trace, finish };
}
