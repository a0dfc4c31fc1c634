export type AnyFunction = (...args: never[]) => unknown;
