import type { AnyFunction } from '../../recording/span-definition.js';
import type { AnsweredCall } from '../clients/answer-kind.js';

/** Members of a promise, which a query is not. */
const ABSENT = new Set(['then', 'catch', 'finally']);

/**
 * The query that a replay returns. It has the recorded messages, `close` and `interrupt`. Its other methods need the process, which does
 * not run, so they reject.
 */
export function answeredQuery(outcome: Promise<unknown>, call: AnsweredCall): object {
  const messages = readMessages(outcome);
  const members: Readonly<Record<string, () => unknown>> = {
    close: () => {
      void messages.return(undefined);
    },
    interrupt: () => Promise.resolve(undefined),
  };
  return new Proxy(messages, {
    get(target, name): unknown {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === 'function') return (member as AnyFunction).bind(target);
      if (member !== undefined || typeof name === 'symbol' || ABSENT.has(name)) return member;
      const reject = (): Promise<never> =>
        Promise.reject(call.miss(`it needs the process of Claude (${name}); it is not running`));
      return members[name] ?? reject;
    },
  });
}

async function* readMessages(outcome: Promise<unknown>): AsyncGenerator {
  yield* (await outcome) as AsyncIterable<unknown>;
}
