import { Controller, Get, Param } from '@nestjs/common';
import * as rx from 'rxjs';
import * as rxOperators from 'rxjs/operators';
import { CREATION_PROGRAMS } from '../../../tracer/test/observables/creation-cases.js';
import {
  type Kit,
  makeKit,
  type Program,
  type Shared,
  shareSources,
} from '../../../tracer/test/observables/kit.js';
import { OPERATOR_PROGRAMS } from '../../../tracer/test/observables/operator-cases.js';
import type { RxjsVersion } from '../../../tracer/test/observables/rxjs-version.js';
import { Model } from './model.js';

const rxjs = {
  rx,
  operators: { ...rx, ...rxOperators },
  creations: rx,
} as unknown as RxjsVersion;

/** A program for each operator and each creation function that RxJS exports, by name. */
const PROGRAMS: Readonly<Record<string, Program>> = {
  ...named('operator', OPERATOR_PROGRAMS, rxjs.operators),
  ...named('creation', CREATION_PROGRAMS, rxjs.creations),
};

/** Their results depend on the load of the machine. The table in the tracer runs these programs alone. */
export const PROGRAM_NAMES = Object.keys(PROGRAMS).filter((name) => !/^creation-a(sync|sap)/.test(name));

/** How many users subscribe to a program before the last one emits to all. */
export const TABLE_USERS = 50;

function named(
  kind: string,
  programs: Readonly<Record<string, Program>>,
  exported: object,
): Record<string, Program> {
  const entries = Object.entries(programs).filter(([name]) => name in exported);
  return Object.fromEntries(entries.map(([name, program]) => [`${kind}-${name}`, program]));
}

interface Gathering {
  readonly shared: Shared;
  users: number;
}

/** The values and calls of a program without tracing, the same for all its users. */
export async function runUntraced(name: string): Promise<{ log: unknown[]; calls: number }> {
  const shared = shareSources(rxjs);
  let calls = 0;
  const running = Array.from({ length: TABLE_USERS }, (_, user) =>
    subscribe(name, shared, (value) => {
      if (user === 0) calls++;
      return value;
    }),
  );
  shared.scheduler.flush();
  const logs = await Promise.all(running);
  if (new Set(logs.map((log) => JSON.stringify(log))).size > 1)
    throw new Error(`The users of ${name} are given different items.`);
  return { log: logs[0] ?? [], calls };
}

/** The items and the end of one user's subscription. */
function subscribe(name: string, shared: Shared, call: Kit['call']): Promise<unknown[]> {
  const log: unknown[] = [];
  const kit = makeKit(rxjs, shared, call);
  return new Promise((resolve) => {
    const program = PROGRAMS[name] as Program;
    program(kit)
      .pipe(
        kit.each,
        rx.finalize(() => {
          setImmediate(resolve, log);
        }),
      )
      .subscribe({
        next: (value) => log.push(['next', value]),
        error: (error: unknown) => log.push(['error', String(error)]),
        complete: () => log.push('complete'),
      });
  });
}

@Controller('table')
export class TableController {
  private readonly gatherings = new Map<string, Gathering>();

  constructor(private readonly model: Model) {}

  /** Waits for all users of the program; the last one emits to all. */
  @Get(':program/:user')
  async run(@Param('program') program: string, @Param('user') user: string): Promise<unknown[]> {
    const gathering = this.gatherings.get(program) ?? { shared: shareSources(rxjs), users: 0 };
    this.gatherings.set(program, gathering);
    let calls = 0;
    const running = subscribe(program, gathering.shared, (value) => {
      void this.model.ask(user, `${program} ${calls++}`);
      return value;
    });
    if (++gathering.users === TABLE_USERS) {
      this.gatherings.delete(program);
      gathering.shared.scheduler.flush();
    }
    return running;
  }
}
