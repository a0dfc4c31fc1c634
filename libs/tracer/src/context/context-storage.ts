import { AsyncLocalStorage } from 'node:async_hooks';
import type { ContextFrame } from './context-frame.js';

const KEY = Symbol.for('@dacapo/context');

const globals = globalThis as unknown as Record<symbol, AsyncLocalStorage<ContextFrame> | undefined>;

/** The one context of the process: the CommonJS and the ES module copy of this package share it. */
export const contextStorage = (globals[KEY] ??= new AsyncLocalStorage<ContextFrame>());
