import { runInThisContext } from 'node:vm';

/** Node's `fetch` keeps what it sends by on the global object, where Google's client looks for it; Jest's has none. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
const outside = runInThisContext('new Headers(); globalThis') as Record<symbol, unknown>;
Object.assign(globalThis, { [DISPATCHER]: outside[DISPATCHER] });
