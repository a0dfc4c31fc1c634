import type { ServerResponse } from 'node:http';
import { enteredRequest, storedRequest } from './http-request.js';

type Emit = (this: ServerResponse, event: string | symbol, ...args: unknown[]) => boolean;

/** Calls a response's listeners in the contexts of its request. All responses share one function, which costs less than closures. */
export function emitResponseInRequest(response: ServerResponse): void {
  response.emit = prototypeEmitInRequest;
}

/** The same for all responses with this prototype, such as those of an Express application. */
export function emitResponsesInRequest(prototype: ServerResponse): void {
  prototype.emit = emitInRequest(() => readPrototypeEmit(prototype));
}

/**
 * An `emit` that calls the listeners of a response in the contexts of its request, because a session store may send the
 * answer in the contexts of another one. Calls inside a `close` listener are still part of the request.
 *
 * @param inherited finds the `emit` that it replaces, which other tools may patch later
 */
function emitInRequest(inherited: (response: ServerResponse) => Emit): Emit {
  return function (event, ...args) {
    const entered = enteredRequest('rawResponse', this);
    const request = entered ?? storedRequest(this.req);
    const emit = inherited(this);
    try {
      if (entered !== undefined || request === undefined) return emit.call(this, event, ...args);
      return request.enter(emit.bind(this), event, ...args);
    } finally {
      if (event === 'close') request?.closed();
    }
  };
}

function readPrototypeEmit(object: object): Emit {
  return (Object.getPrototypeOf(object) as { emit: Emit }).emit;
}

const prototypeEmitInRequest = emitInRequest(readPrototypeEmit);
