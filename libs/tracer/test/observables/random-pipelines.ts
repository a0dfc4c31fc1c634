import fc from 'fast-check';
import {
  BehaviorSubject,
  bufferCount,
  catchError,
  concat,
  concatMap,
  debounceTime,
  defer,
  delay,
  exhaustMap,
  filter,
  from,
  map,
  merge,
  mergeMap,
  type Observable,
  observeOn,
  of,
  type OperatorFunction,
  retry,
  scan,
  share,
  shareReplay,
  startWith,
  type Subject,
  subscribeOn,
  switchMap,
  take,
  takeUntil,
  throttleTime,
  type VirtualTimeScheduler,
  window,
  withLatestFrom,
} from 'rxjs';

/** An item of a user's pipeline: whose it is, and a number. */
export interface Item {
  readonly user: number;
  readonly value: number;
}

/** What pipelines are built of. */
export interface Parts {
  readonly hot: Subject<number>;
  readonly other: Subject<number>;
  readonly scheduler: VirtualTimeScheduler;
  /** Called by each function of a pipeline with each item: whose it is, is where it runs. */
  readonly check: (item: Item) => Item;
  readonly user: number;
}

type Step = (parts: Parts) => OperatorFunction<Item, Item>;

const mine =
  ({ user, check }: Parts) =>
  (value: number): Item =>
    check({ user, value });

const SOURCES: readonly ((parts: Parts) => Observable<Item>)[] = [
  (parts) => parts.hot.pipe(map(mine(parts))),
  (parts) => of(1, 2).pipe(map(mine(parts))),
  (parts) => defer(() => concat(of(mine(parts)(0)), parts.other.pipe(map(mine(parts))))),
  (parts) => merge(parts.hot, parts.other).pipe(map(mine(parts))),
  (parts) => concat(parts.hot.pipe(take(1)), parts.other).pipe(map(mine(parts))),
  (parts) => new BehaviorSubject(0).pipe(mergeMap(() => parts.hot.pipe(map(mine(parts))))),
  ({ hot, ...parts }) => hot.pipe(map(mine({ hot, ...parts })), share()),
];

/** The next item that anyone emits, as an item of the user's. */
const next =
  (parts: Parts) =>
  (item: Item): Observable<Item> =>
    parts.other.pipe(
      take(1),
      map((value) => parts.check({ user: parts.check(item).user, value: item.value + value })),
    );

const STEPS: readonly Step[] = [
  ({ check }) => map(check),
  ({ check }) => filter((item) => check(item).value % 3 !== 0),
  (parts) => mergeMap(next(parts)),
  (parts) => concatMap(next(parts)),
  (parts) => switchMap(next(parts)),
  (parts) => exhaustMap(next(parts)),
  ({ check }) => scan((sum, item) => check({ user: item.user, value: sum.value + check(item).value })),
  ({ check }) =>
    (source) =>
      source.pipe(
        bufferCount(2),
        mergeMap((items) => from(items).pipe(map(check))),
      ),
  ({ check, other }) =>
    (source) =>
      source.pipe(
        window(other),
        mergeMap((items) => items.pipe(map(check))),
      ),
  ({ scheduler }) => delay(2, scheduler),
  ({ scheduler }) => debounceTime(2, scheduler),
  ({ scheduler }) => throttleTime(3, scheduler),
  ({ scheduler }) => observeOn(scheduler, 1),
  ({ scheduler }) => subscribeOn(scheduler, 1),
  () => share(),
  () => shareReplay(1),
  (parts) => startWith(mine(parts)(7)),
  ({ other, check }) =>
    (source) =>
      source.pipe(
        withLatestFrom(other),
        map(([item, value]) => check({ user: item.user, value })),
      ),
  ({ check }) =>
    (source) => {
      let failures = 0;
      return source.pipe(
        map((item) => {
          if (check(item).value > 4 && failures++ === 0) throw new Error('once');
          return item;
        }),
        retry(1),
      );
    },
  (parts) => (source) =>
    source.pipe(
      map((item) => {
        if (parts.check(item).value > 6) throw new Error('large');
        return item;
      }),
      catchError(() => next(parts)(mine(parts)(8))),
    ),
  ({ hot }) => takeUntil(hot.pipe(filter((value) => value === 5))),
];

/** A source and the steps after it, by their places. */
export interface Pipeline {
  readonly source: number;
  readonly steps: readonly number[];
}

export const pipelines: fc.Arbitrary<Pipeline> = fc.record({
  source: fc.nat(SOURCES.length - 1),
  steps: fc.array(fc.nat(STEPS.length - 1), { maxLength: 6 }),
});

export function buildPipeline({ source, steps }: Pipeline, parts: Parts): Observable<Item> {
  const start = SOURCES[source]?.(parts) ?? of();
  return steps.reduce((built, step) => built.pipe(STEPS[step]?.(parts) ?? map((item) => item)), start);
}
