import type { NormalizedCalls } from '@dacapo/protocol';
import { AsyncLocalStorage } from 'node:async_hooks';
import { CassetteSetupError } from '../errors.js';
import type { CassetteMode } from './cassette-mode.js';
import { decodeArguments, findFunction } from './replayed-call.js';
import type { TapedCalls } from './taped-calls.js';

/** A cassette while its test runs. */
export interface Tape {
  readonly name: string;
  readonly mode: CassetteMode;
  /** What the cassette answered, and how exactly. While recording, everything is empty. */
  report(): TapeReport;
  /**
   * Calls a function with recorded arguments: those of the call that failed, else of the first outermost call that the test has not made.
   *
   * @param fn a wrapped function, a function that calls it, or a module that exports it
   * @throws CassetteSetupError while recording, without such a call, or if its arguments cannot be restored
   */
  replay<R>(fn: ((...args: never[]) => R) | object): Promise<Awaited<R>>;
}

export interface TapeReport {
  /** Outermost calls that ran, by key. */
  readonly ran: Readonly<Record<string, number>>;
  /** Calls that matched only without parts that `normalize` names, or that are masked. */
  readonly normalized: readonly NormalizedCalls[];
  /** How many calls matched although a masked value has another salt: it matched any masked value. */
  readonly anySecret: number;
  /** Functions that ran inside because `live` names them, by key. */
  readonly ranLive: Readonly<Record<string, number>>;
  /** Calls that `answers` answered, by key. */
  readonly answeredByTest: Readonly<Record<string, number>>;
  /** Sentences on options without effect. */
  readonly warnings: readonly string[];
}

/** @internal */
export class CassetteTape implements Tape {
  /** Matchers that have not compared yet. */
  pending = 0;

  /** @param calls absent while recording */
  constructor(
    readonly name: string,
    readonly mode: CassetteMode,
    readonly calls: TapedCalls | undefined,
  ) {}

  async replay<R>(fn: ((...args: never[]) => R) | object): Promise<Awaited<R>> {
    const name = JSON.stringify(this.name);
    if (this.calls === undefined)
      throw new CassetteSetupError(
        `tape.replay needs recorded arguments, and the cassette ${name} is being recorded. Pass the arguments yourself.`,
      );
    const { unmade } = this.calls;
    const root = unmade.find(({ call }) => call.status === 'error') ?? unmade[0];
    if (root === undefined)
      throw new CassetteSetupError(
        `The test has made all outermost calls of the cassette ${name}. Call tape.replay once for each.`,
      );
    const call = findFunction(fn, root.key) as (...args: unknown[]) => R;
    const args = decodeArguments(root);
    this.calls.expectReplay(root);
    return await call(...args);
  }

  report(): TapeReport {
    const roots = this.calls?.roots ?? [];
    const ran: Record<string, number> = {};
    const ranLive: Record<string, number> = {};
    const answeredByTest: Record<string, number> = {};
    const add = (counts: Record<string, number>, key: string, count: number): void => {
      counts[key] = (counts[key] ?? 0) + count;
    };
    for (const { key, calls } of roots) {
      add(ran, key, 1);
      for (const [name, count] of calls.ran)
        add(this.calls?.hasAnswer(name) === true ? answeredByTest : ranLive, name, count);
    }
    return {
      ran,
      ranLive,
      answeredByTest,
      normalized: roots.flatMap((root) => root.normalized()),
      anySecret: roots.reduce((sum, { calls }) => sum + calls.anySecretCalls, 0),
      warnings: this.calls?.warnings() ?? [],
    };
  }
}

const KEY = Symbol.for('@dacapo/tapes');

const globals: typeof globalThis & { [KEY]?: AsyncLocalStorage<CassetteTape> | undefined } = globalThis;

/** The tape of the running test, shared by the CommonJS and ES module copies of this package. */
export const tapes = (globals[KEY] ??= new AsyncLocalStorage<CassetteTape>());
