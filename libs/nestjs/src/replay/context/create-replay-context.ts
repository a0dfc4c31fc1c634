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
import { describeLeftOut, type LeftOut, listLeftOut, noteLeftOutKeys } from '../left-out.js';
import { STARTED_WORK, type StartedWork } from '../starters.js';

type ContextOptions = NonNullable<Parameters<typeof NestFactory.createApplicationContext>[1]>;

/** The options of `NestFactory.createApplicationContext`, and those of a replay. */
export interface ReplayContextOptions extends Pick<ContextOptions, keyof ContextOptions> {
  /** Work to start as in production. Default: none. */
  start?: readonly StartedWork[] | undefined;
  /** Classes whose `onModuleInit` and `onApplicationBootstrap` do not run, such as your own consumers. Default: none. */
  holdBack?: readonly Type[] | undefined;
  /** The pipes of `app.useGlobalPipes` in `main.ts`, which a replay does not run. Pipes under APP_PIPE need no entry. */
  globalPipes?: readonly PipeTransform[] | undefined;
}

/** An application that was started for a replay. */
export interface ReplayContext {
  readonly app: INestApplicationContext;
  readonly replays: ReplayService;
  /** Work that the application starts only in production. */
  readonly leftOut: readonly LeftOut[];
  /** Hooks that ran as in production, as `Class.hook`. */
  readonly hooks: readonly string[];
  /** Closes the application: runs its shutdown hooks and sends the waiting records. */
  close(): Promise<void>;
}

/**
 * Starts an application for a replay: its providers as in production, but no queue workers, schedules, event listeners,
 * sagas, consumers or servers. It logs what was skipped.
 *
 * `onModuleInit` and `onApplicationBootstrap` of the application's own providers run, because other providers may need them.
 * Work that these hooks start is not held back.
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

  /** Its hook runs first, when all instances exist: Nest runs hooks from the farthest module on. */
  @Module({})
  class HoldBackModule implements OnModuleInit {
    constructor(@Inject(ModulesContainer) private readonly modules: ModulesContainer) {
      // Nest 10 needs this; 11 and 12 begin with global modules, in the order of imports.
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
    const replays = getReplayService(app);
    logLeftOut(report.leftOut);
    return { app, replays, ...report, close: () => app.close() };
  } catch (error) {
    // Its shutdown hooks may fail because start hooks did not run.
    await app.close().catch(() => undefined);
    throw error;
  }
}

/**
 * Offers this copy of the package to a command that loaded the application: only its own `ReplayService` is in the
 * container.
 */
export function offerReplayContext(): void {
  (globalThis as Record<symbol, unknown>)[Symbol.for('@dacapo/nestjs/createReplayContext')] =
    createReplayContext;
}

function logLeftOut(leftOut: readonly LeftOut[]): void {
  new Logger('Replay').log(
    leftOut.length === 0 ? 'The whole application was started' : `Skipped: ${describeLeftOut(leftOut)}`,
  );
}

function getReplayService(app: INestApplicationContext): ReplayService {
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
