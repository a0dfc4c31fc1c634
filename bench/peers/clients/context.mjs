import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage();

/** Only opens a context, like an application with an `AsyncLocalStorage`. */
export function wrapWith() {
  const wrap = (client) => {
    const { completions } = client.chat;
    const create = completions.create.bind(completions);
    completions.create = (...args) => storage.run({}, create, ...args);
    return client;
  };
  return { wrap, finish: async () => undefined };
}
