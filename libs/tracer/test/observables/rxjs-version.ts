import type * as Newest from 'rxjs';
import type { Observable, OperatorFunction } from 'rxjs';

/** Loosely typed: what is deprecated, and what one version has and another has not, is used as well. */
export type Operator = (...args: unknown[]) => OperatorFunction<unknown, unknown>;
export type Creation = (...args: unknown[]) => Observable<unknown>;

/** One version of RxJS, as both of its entries export it. */
export interface RxjsVersion {
  readonly rx: typeof Newest;
  readonly operators: Readonly<Record<string, Operator | undefined>>;
  readonly creations: Readonly<Record<string, (Creation & Operator) | undefined>>;
}

export const VERSIONS: readonly (readonly [version: string, rxjs: RxjsVersion])[] = [
  'rxjs-oldest',
  'rxjs',
].map((name) => {
  const load = (path: string): unknown => jest.requireActual(path);
  const { version } = load(`${name}/package.json`) as { version: string };
  const rx = load(name) as typeof Newest;
  const creations = load(name) as RxjsVersion['creations'];
  const operators = load(`${name}/operators`) as RxjsVersion['operators'];
  return [
    version,
    {
      rx,
      // Not all of the newest are in that entry.
      operators: { ...creations, ...operators },
      creations,
    },
  ] as const;
});
