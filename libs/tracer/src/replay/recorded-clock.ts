import { replacedDate } from '../context/clock.js';
import { InvalidOptionError } from '../errors.js';
import { currentReplayFrame, findReplayedCalls } from '../recording/recording-frame.js';

/** Replays that show recorded times, of both copies of this package. Without any, `Date` is the platform's. */
interface Replacement {
  replays: number;
  restore: () => void;
}

const KEY = Symbol.for('@dacapo/recorded-clock');

const globals: typeof globalThis & { [KEY]?: Replacement | undefined } = globalThis;

/**
 * Makes the global `Date` show the recorded time to code inside a replayed call (docs/adr/0047). Other
 * code sees the real time.
 *
 * @returns a function that ends it; call it once
 * @throws InvalidOptionError when the global `Date` cannot be replaced
 */
export function showRecordedTimes(): () => void {
  const replacement = (globals[KEY] ??= { replays: 0, restore: replaceDate() });
  replacement.replays++;
  return () => {
    if (--replacement.replays > 0) return;
    replacement.restore();
    globals[KEY] = undefined;
  };
}

/** Replaces `Date` by a proxy, also in its prototype, because code compares `value.constructor === Date`. */
function replaceDate(): () => void {
  const real = globalThis.Date;
  const realNow = Reflect.get<DateConstructor, 'now'>(real, 'now');
  const realMs = (): number => Reflect.apply(realNow, real, []);
  // A later replacement, such as fake timers, may restore the proxy afterwards: then it must do nothing.
  let isInUse = true;
  const offsetMs = (): number => (isInUse ? recordedOffsetMs() : 0);
  const recordedNow = (): number => realMs() + offsetMs();
  const proxy: DateConstructor = new Proxy(real, {
    construct: (target, args: unknown[], newTarget) => {
      const offset = args.length === 0 ? offsetMs() : 0;
      const dateArguments = offset === 0 ? args : [realMs() + offset];
      return Reflect.construct(target, dateArguments, newTarget === proxy ? target : newTarget) as Date;
    },
    apply: (target, self, args) => {
      const offset = offsetMs();
      return offset === 0
        ? (Reflect.apply(target, self, args) as string)
        : new target(realMs() + offset).toString();
    },
    // A spy of the application on `Date.now` takes precedence.
    get: (target, name, receiver) => {
      const value: unknown = Reflect.get(target, name, receiver);
      return name === 'now' && value === realNow ? recordedNow : value;
    },
    set: (target, name, value, receiver) =>
      Reflect.set(
        target,
        name,
        value === recordedNow ? realNow : value,
        receiver === proxy ? target : receiver,
      ),
  });
  if (!Reflect.set(globalThis, 'Date', proxy))
    throw new InvalidOptionError(
      'clock',
      'is "recorded", but globalThis.Date is read-only and cannot be replaced',
      'Keep the global Date writable, or remove clock.',
    );
  const { prototype } = real;
  const ownConstructor = Object.getOwnPropertyDescriptor(prototype, 'constructor');
  const isOwn = ownConstructor?.value === real && Reflect.set(prototype, 'constructor', proxy);
  replacedDate.realMs = realMs;
  return () => {
    isInUse = false;
    if (globalThis.Date === proxy) globalThis.Date = real;
    if (isOwn && prototype.constructor === proxy) prototype.constructor = real;
    delete replacedDate.realMs;
  };
}

function recordedOffsetMs(): number {
  const frame = currentReplayFrame();
  return findReplayedCalls(frame)?.clockOffsetMs(frame?.parentId) ?? 0;
}
