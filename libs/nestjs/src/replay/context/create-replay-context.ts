import {
  type DynamicModule,
  type ForwardReference,
  Inject,
  type INestApplicationContext,
  Logger,
  Module,
  type OnModuleInit,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { APP_PIPE, ModulesContainer, NestFactory } from '@nestjs/core';
import { InvalidModuleOptionError } from '../../errors.js';
import { ReplayContextError } from '../errors.js';
import { ReplayService } from '../replay.service.js';
import { holdBackAll, holdBackWork, listHooks } from './hold-back.js';
import { describeLeftOut, type LeftOut, listLeftOut, noteLeftOutKeys } from './left-out.js';
import { STARTED_WORK, type StartedWork } from './starters.js';

type ContextOptions = NonNullable<Parameters<typeof NestFactory.createApplicationContext>[1]>;

/** Those of `NestFactory.createApplicationContext`, and what a replay needs. */
export interface ReplayContextOptions extends Pick<ContextOptions, keyof ContextOptions> {
  /** What to start all the same. Default: nothing. */
  start?: readonly StartedWork[] | undefined;
  /** Classes whose `onModuleInit` and `onApplicationBootstrap` do not run: consumers of your own, say. Default: none. */
  holdBack?: readonly Type[] | undefined;
  /** What `app.useGlobalPipes` is given in `main.ts`, which a replay does not run. Pipes under APP_PIPE are there already. */
  globalPipes?: readonly PipeTransform[] | undefined;
}

/** An application that was started to replay calls. */
export interface ReplayContext {
  readonly app: INestApplicationContext;
  readonly replays: ReplayService;
  /** Work that the application starts automatically in production, and not here. */
  readonly leftOut: readonly LeftOut[];
  /** Hooks that ran as in production, `Class.hook`. */
  readonly hooks: readonly string[];
  /** Closes the application: its shutdown hooks run, and what was recorded is sent. */
  close(): Promise<void>;
}

/**
 * Starts an application for a replay: its providers as in production, but no queue workers, schedules, event listeners,
 * sagas or consumers, and nothing that listens. What is skipped is logged.
 *
 * `onModuleInit` and `onApplicationBootstrap` of the application's own providers run, because providers may need them:
 * what they start by hand is started.
 *
 * @throws ReplayContextError when a library would start work that cannot be held back, or without a `TracerModule`
 * @throws InvalidModuleOptionError for an unknown name in `start`
 */
export async function createReplayContext(
  appModule: Type | DynamicModule | ForwardReference | Promise<DynamicModule>,
  { start = [], holdBack = [], globalPipes = [], ...options }: ReplayContextOptions = {},
): Promise<ReplayContext> {
  const started = new Set(start.map(checkWork));
  const report = { leftOut: [] as LeftOut[], hooks: [] as string[] };
  let refused: unknown;

  /** Its hook runs before all others, when every instance is there: hooks run from the farthest module on. */
  @Module({})
  class HoldBackModule implements OnModuleInit {
    constructor(@Inject(ModulesContainer) private readonly modules: ModulesContainer) {
      // Nest 10 knows no other way; 11 and 12 begin with global modules, in the order of imports.
      for (const module of modules.values())
        if (module.metatype === HoldBackModule) module.distance = Number.POSITIVE_INFINITY;
    }

    async onModuleInit(): Promise<void> {
      try {
        await holdBackWork(this.modules, started, holdBack);
      } catch (error) {
        refused = error;
        holdBackAll(this.modules);
        return;
      }
      report.leftOut = listLeftOut(this.modules, started);
      noteLeftOutKeys(this.modules, started);
      report.hooks = listHooks(this.modules, HoldBackModule);
    }
  }

  @Module({
    imports: [{ module: HoldBackModule, global: true }, appModule],
    providers: globalPipes.map((pipe) => ({ provide: APP_PIPE, useValue: pipe })),
  })
  class ReplayRootModule {}

  const contextOptions: Pick<ContextOptions, keyof ContextOptions> = { abortOnError: false, ...options };
  const app = await NestFactory.createApplicationContext(ReplayRootModule, contextOptions);
  try {
    if (refused !== undefined) throw refused as Error;
    const replays = replaysOf(app);
    logLeftOut(report.leftOut);
    return { app, replays, ...report, close: () => app.close() };
  } catch (error) {
    // Its hooks may miss what those at the start would have made.
    await app.close().catch(() => undefined);
    throw error;
  }
}

/**
 * Lets a command that has loaded an application start it with the copy of this package that the application uses: only
 * that one's `ReplayService` is in the container.
 */
export function offerReplayContext(): void {
  (globalThis as Record<symbol, unknown>)[Symbol.for('@dacapo/nestjs/createReplayContext')] =
    createReplayContext;
}

function logLeftOut(leftOut: readonly LeftOut[]): void {
  new Logger('Replay').log(
    leftOut.length === 0 ? 'Nothing of the application was skipped' : `Skipped: ${describeLeftOut(leftOut)}`,
  );
}

function replaysOf(app: INestApplicationContext): ReplayService {
  try {
    return app.get(ReplayService, { strict: false });
  } catch {
    throw new ReplayContextError(
      'The application has no TracerModule',
      'Import TracerModule.forRoot() in the module that you pass to createReplayContext.',
    );
  }
}

function checkWork(work: StartedWork): StartedWork {
  if (STARTED_WORK.includes(work)) return work;
  throw new InvalidModuleOptionError(
    'start',
    `names ${JSON.stringify(work)}, which is unknown`,
    `Use some of ${STARTED_WORK.join(', ')}.`,
  );
}
