import { type ContextFrame, contextStorage } from '../../src/context/context-storage.js';
import { makeKit, type Program, type Shared, shareSources } from './kit.js';
import type { Operator, RxjsVersion } from './rxjs-version.js';

const USERS = 50;

/** What one user saw, and where his functions ran. */
export interface Seen {
  /** Items, end and calls, in order. */
  readonly log: unknown[];
  /** Calls that ran in the context of someone else. */
  readonly strayed: unknown[];
}

/** Has each of 50 users subscribe to a program of his own in a context of his own, and feeds all from outside. */
export async function runUsers(version: RxjsVersion, program: Program, users = USERS): Promise<Seen[]> {
  const shared = shareSources(version);
  const running = Array.from({ length: users }, () => runUser(version, shared, program));
  contextStorage.run(newFrame(), () => {
    shared.scheduler.flush();
  });
  return Promise.all(running);
}

function runUser(version: RxjsVersion, shared: Shared, program: Program): Promise<Seen> {
  const frame = newFrame();
  const seen: Seen = { log: [], strayed: [] };
  const note = (what: unknown): void => {
    seen.log.push(what);
    if (contextStorage.getStore() !== frame) seen.strayed.push(what);
  };
  const call = <T>(value: T): T => {
    note(['call', value]);
    return value;
  };
  const { finalize } = version.operators as Record<string, Operator>;
  const kit = makeKit(version, shared, call);
  return new Promise((resolve) => {
    contextStorage.run(frame, () => {
      program(kit)
        .pipe(
          kit.each,
          (finalize as Operator)(() => {
            note('finalized');
            // Whatever comes later would be noted too.
            setImmediate(resolve, seen);
          }),
        )
        .subscribe({
          next: (value) => {
            note(['next', value]);
          },
          error: (error: unknown) => {
            note(['error', String(error)]);
          },
          complete: () => {
            note('complete');
          },
        });
    });
  });
}

function newFrame(): ContextFrame {
  return { trace: undefined, parentId: undefined, span: undefined, replay: undefined };
}
