import type { Observable } from 'rxjs';
import type { Kit, Program } from './kit.js';

type Case = (kit: Kit, name: string) => Observable<unknown>;

const plain =
  (...args: unknown[]): Case =>
  ({ hot, op, each }, name) =>
    hot.pipe(each, op(name)(...args));

/** Calls a function of the user's with each item. */
const perItem: Case = ({ hot, op, call }, name) => hot.pipe(op(name)((value: unknown) => call(value)));

/** Subscribes to an Observable of the user's for each item. */
const project: Case = ({ hot, op, inner }, name) => hot.pipe(op(name)((value: unknown) => inner(value)));

/** The same of items that are Observables. */
const flatten: Case = ({ hot, op, inner }, name) =>
  hot.pipe(
    op('map')((value: unknown) => inner(value)),
    op(name)(),
  );

/** Subscribes to another Observable from the start, or later. */
const beside: Case = ({ hot, op, notifier }, name) => hot.pipe(op(name)(notifier));

const combine: Case = ({ hot, op, notifier, call }, name) =>
  hot.pipe(op(name)(notifier, (...values: unknown[]) => call(values)));

const combineItems: Case = ({ hot, op, inner, call }, name) =>
  hot.pipe(
    op('map')((value: unknown) => inner(value)),
    op(name)((...values: unknown[]) => call(values)),
  );

const compare: Case = ({ hot, op, call }, name) =>
  hot.pipe(op(name)((one: number, two: number) => call(one - two)));

const reduce: Case = ({ hot, op, call }, name) =>
  hot.pipe(op(name)((sum: unknown, value: unknown) => call([sum, value]), 'seed'));

const reduceInner: Case = ({ hot, op, inner }, name) =>
  hot.pipe(op(name)((sum: unknown, value: unknown) => inner([sum, value]), 'seed'));

const timed =
  (timeMs: number): Case =>
  ({ hot, op, each, scheduler }, name) =>
    hot.pipe(each, op(name)(timeMs, scheduler));

const afterFailure: Case = ({ failing, op, inner }, name) => failing.pipe(op(name)(inner('instead')));

/** A stream of Observables, each read by a function of the user's. */
const windows =
  (open: (kit: Kit) => unknown[]): Case =>
  (kit, name) =>
    kit.hot.pipe(
      kit.op(name)(...open(kit)),
      kit.op('mergeMap')((items: Observable<unknown>) => items.pipe(kit.each, kit.op('toArray')())),
    );

const counted =
  (...args: unknown[]): Case =>
  ({ hot, op, each }, name) =>
    hot.pipe(each, op(name)(...args), op('refCount')());

const CASES: Readonly<Record<string, Case>> = {
  audit: project,
  auditTime: timed(7),
  buffer: beside,
  bufferCount: plain(2),
  bufferTime: timed(15),
  bufferToggle: ({ hot, op, notifier, inner }, name) => hot.pipe(op(name)(notifier, () => inner())),
  bufferWhen: ({ hot, op, inner }, name) => hot.pipe(op(name)(() => inner())),
  catchError: ({ failing, op, inner }, name) =>
    failing.pipe(op(name)((error: unknown) => inner(String(error)))),
  combineAll: combineItems,
  combineLatest: combine,
  combineLatestAll: combineItems,
  combineLatestWith: beside,
  concat: beside,
  concatAll: flatten,
  concatMap: project,
  concatMapTo: beside,
  concatWith: beside,
  connect: ({ rx, hot, op, each, inner }, name) =>
    hot.pipe(op(name)((source: Observable<unknown>) => rx.merge(source.pipe(each), inner()))),
  count: perItem,
  debounce: ({ rx, hot, op, each, scheduler }, name) =>
    hot.pipe(op(name)(() => rx.timer(3, scheduler).pipe(each))),
  debounceTime: timed(5),
  defaultIfEmpty: ({ rx, op }, name) => rx.EMPTY.pipe(op(name)('default')),
  delay: timed(5),
  delayWhen: project,
  dematerialize: ({ hot, op, each }, name) => hot.pipe(each, op('materialize')(), op(name)()),
  distinct: ({ hot, op, call, notifier }, name) =>
    hot.pipe(op(name)((value: unknown) => call(value), notifier)),
  distinctUntilChanged: ({ hot, op, call }, name) =>
    hot.pipe(op(name)((one: unknown, two: unknown) => call(one === two))),
  distinctUntilKeyChanged: ({ hot, op, call }, name) =>
    hot.pipe(
      op('map')((value: unknown) => ({ value })),
      op(name)('value', (one: unknown, two: unknown) => call(one === two)),
    ),
  elementAt: plain(1),
  endWith: plain('last'),
  every: perItem,
  exhaust: flatten,
  exhaustAll: flatten,
  exhaustMap: project,
  expand: ({ rx, hot, op, inner }, name) =>
    hot.pipe(op(name)((value: unknown) => (Array.isArray(value) ? rx.EMPTY : inner(value)))),
  filter: perItem,
  finalize: ({ hot, op, call }, name) => hot.pipe(op(name)(() => call('over'))),
  find: ({ hot, op, call }, name) => hot.pipe(op(name)((value: unknown) => call(value) === 2)),
  findIndex: ({ hot, op, call }, name) => hot.pipe(op(name)((value: unknown) => call(value) === 2)),
  first: perItem,
  flatMap: project,
  groupBy: windows(({ call, inner }) => [
    (value: number): number => call(value % 2),
    { duration: () => inner('group') },
  ]),
  ignoreElements: plain(),
  isEmpty: plain(),
  last: perItem,
  map: perItem,
  mapTo: plain('same'),
  materialize: ({ hot, op, each }, name) =>
    hot.pipe(
      each,
      op(name)(),
      op('map')(({ kind }: { kind: string }) => kind),
    ),
  max: compare,
  merge: beside,
  mergeAll: flatten,
  mergeMap: project,
  mergeMapTo: beside,
  mergeScan: reduceInner,
  mergeWith: beside,
  min: compare,
  multicast: ({ rx, hot, op, each }, name) =>
    hot.pipe(
      op(name)(
        () => new rx.Subject(),
        (source: Observable<unknown>) => source.pipe(each),
      ),
    ),
  observeOn: ({ hot, op, each, scheduler }, name) => hot.pipe(each, op(name)(scheduler, 3)),
  onErrorResumeNext: afterFailure,
  onErrorResumeNextWith: afterFailure,
  pairwise: plain(),
  partition: ({ rx, hot, op, call }, name) => {
    const [odd, even] = op(name)((value: number) => call(value % 2) === 1)(
      hot,
    ) as unknown as Observable<unknown>[];
    return rx.merge(odd ?? rx.EMPTY, even ?? rx.EMPTY);
  },
  pluck: ({ hot, op, call }, name) =>
    hot.pipe(
      op('map')((value: unknown) => ({ value: call(value) })),
      op(name)('value'),
    ),
  publish: counted(),
  publishBehavior: counted('first'),
  publishLast: counted(),
  publishReplay: counted(2),
  race: beside,
  raceWith: beside,
  reduce,
  refCount: ({ hot, op, each }, name) => hot.pipe(each, op('publish')(), op(name)()),
  repeat: ({ hot, op, each }, name) => hot.pipe(each, op('take')(1), op(name)(2)),
  repeatWhen: ({ hot, op, inner }, name) =>
    hot.pipe(
      op('take')(1),
      op(name)((ends: Observable<unknown>) =>
        ends.pipe(
          op('mergeMap')(() => inner()),
          op('take')(1),
        ),
      ),
    ),
  retry: ({ failing, op, each }, name) => failing.pipe(each, op(name)(2)),
  retryWhen: ({ failing, op, each, inner }, name) =>
    failing.pipe(
      each,
      op(name)((errors: Observable<unknown>) =>
        errors.pipe(
          op('mergeMap')(() => inner()),
          op('take')(1),
        ),
      ),
    ),
  sample: beside,
  sampleTime: timed(7),
  scan: reduce,
  sequenceEqual: combine,
  share: plain(),
  shareReplay: plain(1),
  single: ({ hot, op, call }, name) => hot.pipe(op(name)((value: unknown) => call(value) === 2)),
  skip: plain(1),
  skipLast: plain(1),
  skipUntil: beside,
  skipWhile: ({ hot, op, call }, name) => hot.pipe(op(name)((value: unknown) => call(value) === 1)),
  startWith: plain('first'),
  subscribeOn: ({ rx, op, call, inner, scheduler }, name) =>
    rx.defer(() => inner(call('subscribed'))).pipe(op(name)(scheduler, 3)),
  switchAll: flatten,
  switchMap: project,
  switchMapTo: beside,
  switchScan: reduceInner,
  take: plain(2),
  takeLast: plain(2),
  takeUntil: beside,
  takeWhile: ({ hot, op, call }, name) => hot.pipe(op(name)((value: number) => call(value) < 3)),
  tap: ({ hot, op, call }, name) => hot.pipe(op(name)({ next: call, complete: () => call('complete') })),
  throttle: project,
  throttleTime: timed(15),
  throwIfEmpty: ({ rx, op, call }, name) => rx.EMPTY.pipe(op(name)(() => call('empty'))),
  timeInterval: ({ hot, op, scheduler }, name) =>
    hot.pipe(
      op(name)(scheduler),
      op('map')(({ value, interval }: { value: unknown; interval: number }) => [value, interval]),
    ),
  timeout: ({ rx, op, call }, name) => rx.NEVER.pipe(op(name)({ first: 1, with: () => rx.of(call('late')) })),
  timeoutWith: ({ hot, op, inner, scheduler }, name) => hot.pipe(op(name)(7, inner('late'), scheduler)),
  timestamp: ({ hot, op, scheduler }, name) =>
    hot.pipe(
      op(name)(scheduler),
      op('map')(({ value, timestamp }: { value: unknown; timestamp: number }) => [value, timestamp]),
    ),
  toArray: plain(),
  window: windows(({ notifier }) => [notifier]),
  windowCount: windows(() => [2]),
  windowTime: windows(({ scheduler }) => [15, scheduler]),
  windowToggle: windows(({ notifier, inner }) => [notifier, (): unknown => inner()]),
  windowWhen: windows(({ inner }) => [(): unknown => inner()]),
  withLatestFrom: combine,
  zip: combine,
  zipAll: combineItems,
  zipWith: beside,
};

/** A program for each operator. */
export const OPERATOR_PROGRAMS: Readonly<Record<string, Program>> = Object.fromEntries(
  Object.entries(CASES).map(([name, build]) => [name, (kit: Kit) => build(kit, name)]),
);
