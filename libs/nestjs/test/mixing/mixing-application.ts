import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Controller,
  type DynamicModule,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  type MessageEvent,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Optional,
  Param,
  Res,
  Sse,
} from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import {
  CommandBus,
  CommandHandler,
  CqrsModule,
  EventBus,
  EventsHandler,
  type ICommandHandler,
  type IEventHandler,
} from '@nestjs/cqrs';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import {
  type ClientProxy,
  ClientsModule,
  MessagePattern,
  type TcpOptions,
  Transport,
} from '@nestjs/microservices';
import DataLoader from 'dataloader';
import { concatMap, firstValueFrom, map, type Observable, switchMap, take } from 'rxjs';
import { bind } from '@dacapo/tracer';
import { TracerModule } from '@dacapo/nestjs';
import { TracerTestingModule } from '@dacapo/nestjs/testing';
import { freePort } from '../transports/free-port.js';
import { Feed, Model, SessionStore } from './model.js';
import {
  addHooks,
  addRouter,
  RequestScopedInterceptor,
  ShapesController,
  TransientInterceptor,
} from './shapes.controller.js';
import { TableController } from './table.controller.js';

export class Work {
  constructor(readonly user: string) {}
}
class WorkDone {
  constructor(readonly user: string) {}
}

@CommandHandler(Work)
class WorkHandler implements ICommandHandler<Work> {
  constructor(
    private readonly model: Model,
    private readonly events: EventBus,
  ) {}
  async execute({ user }: Work): Promise<void> {
    await this.model.ask(user, 'command');
    this.events.publish(new WorkDone(user));
  }
}

@EventsHandler(WorkDone)
class WorkDoneHandler implements IEventHandler<WorkDone> {
  constructor(private readonly model: Model) {}
  async handle({ user }: WorkDone): Promise<void> {
    await this.model.ask(user, 'domain event');
  }
}

@Injectable()
class Listener {
  constructor(private readonly model: Model) {}
  @OnEvent('asked')
  async asked({ user }: Work): Promise<void> {
    await this.model.ask(user, 'event');
  }
}

/** What a job does with its user, if there is a queue. */
export const ENQUEUE = 'ENQUEUE';
export type Enqueue = (user: string) => Promise<void>;

@Controller()
class UsersController {
  private readonly shared: DataLoader<string, string>;

  constructor(
    private readonly model: Model,
    private readonly feed: Feed,
    private readonly commands: CommandBus,
    private readonly emitter: EventEmitter2,
    @Inject('REMOTE') private readonly remote: ClientProxy,
    @Optional() @Inject(ENQUEUE) private readonly enqueue?: Enqueue,
  ) {
    // Has keys of all users. It is bound outside requests, so each batch is a trace of its own.
    this.shared = new DataLoader<string, string>(
      bind((users: readonly string[]) => this.model.batch(users)),
      { cache: false },
    );
  }

  @MessagePattern('echo')
  async echo({ user }: Work): Promise<string> {
    await this.model.ask(user, 'remote');
    return user;
  }

  /** Traces nothing before the connection to the other service answers. */
  @Get('lazy/:user')
  lazy(@Param('user') user: string): Observable<string> {
    return this.remote
      .send<string>('echo', { user })
      .pipe(switchMap((echoed) => this.model.ask(echoed, 'lazy')));
  }

  @Get('all/:user')
  async all(@Param('user') user: string, @Res({ passthrough: true }) response: Answer): Promise<string> {
    const own = new DataLoader<string, string>(async (places) =>
      Promise.all(places.map((place) => this.model.ask(user, place))),
    );
    await Promise.all([own.load('own 1'), own.load('own 2'), this.shared.load(user)]);
    await firstValueFrom(this.remote.send('echo', { user }));
    await this.commands.execute(new Work(user));
    await this.emitter.emitAsync('asked', { user });
    await this.enqueue?.(user);
    this.feed.items.next();
    getRaw(response).once('close', () => {
      setImmediate(bind(() => void this.model.ask(user, 'after the answer')));
    });
    return this.model.ask(user, 'handler');
  }

  @Sse('stream/:user')
  stream(@Param('user') user: string): Observable<MessageEvent> {
    return this.feed.items.pipe(
      take(2),
      concatMap((_item, index) => this.model.ask(user, `stream ${index}`)),
      map((data) => ({ data })),
    );
  }

  @Get('left/:user')
  async leftByClient(
    @Param('user') user: string,
    @Res({ passthrough: true }) response: Answer,
  ): Promise<string> {
    if (!getRaw(response).closed) await once(getRaw(response), 'close');
    await this.model.ask(user, 'left 1');
    return this.model.ask(user, 'left 2');
  }
}

type Answer = ServerResponse & { readonly raw?: ServerResponse };
const getRaw = (response: Answer): ServerResponse => response.raw ?? response;

@Module({})
class MixingModule implements NestModule {
  constructor(private readonly sessions: SessionStore) {}

  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply((_request: unknown, _response: unknown, next: () => void) => {
        this.sessions.load(next);
      })
      .forRoutes(UsersController, ShapesController, TableController);
  }
}

/** The user in the route, the message, the job, the command or the event. */
function readUser(context: ExecutionContext): string {
  const [first] = context.getArgs<[{ user?: string; params?: Work; data?: Work }]>();
  return first.params?.user ?? first.data?.user ?? first.user ?? 'nobody';
}

export type Platform = 'express' | 'fastify';

export interface MixingApplication {
  readonly platform: Platform;
  readonly url: string;
  readonly tracing: TracerTestingModule;
  close(): Promise<void>;
}

/** @param more the queue, if there is a server for it */
export async function startMixingApplication(
  platform: Platform,
  more: DynamicModule[] = [],
): Promise<MixingApplication> {
  const remote = {
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port: await freePort() },
  } as const;
  const module: DynamicModule = {
    module: MixingModule,
    imports: [
      TracerModule.forRoot({
        interceptor: true,
        enrich: (context) => ({ sessionId: readUser(context) }),
        propagate: { clients: true, queues: true },
        incoming: { rpc: 'continue', queues: 'continue' },
      }),
      TracerTestingModule.forRoot(),
      CqrsModule,
      EventEmitterModule.forRoot(),
      ClientsModule.register([{ name: 'REMOTE', ...remote }]),
      ...more,
    ],
    controllers: [UsersController, ShapesController, TableController],
    providers: [
      Model,
      SessionStore,
      Feed,
      WorkHandler,
      WorkDoneHandler,
      Listener,
      RequestScopedInterceptor,
      TransientInterceptor,
    ],
    exports: [Model],
    global: true,
  };
  const options = { logger: ['error', 'warn'], forceCloseConnections: true } as object;
  const app = await NestFactory.create(module, await createAdapter(platform), options);
  app.connectMicroservice<TcpOptions>(remote, { inheritAppConfig: true });
  if (platform === 'fastify') addHooks(app);
  else addRouter(app, await loadExpress());
  await app.startAllMicroservices();
  await app.listen(0, '127.0.0.1');
  // With Node's default of 5 s, a busy server closes connections that the client is about to reuse.
  app.getHttpServer().keepAliveTimeout = 120_000;
  const { port } = app.getHttpServer().address() as AddressInfo;
  return {
    platform,
    url: `http://127.0.0.1:${port}`,
    tracing: app.get(TracerTestingModule),
    close: () => app.close(),
  };
}

/** Express has no types of its own. */
async function loadExpress(): Promise<Parameters<typeof addRouter>[1]> {
  const name: string = 'express';
  const loaded = (await import(name)) as { default: Parameters<typeof addRouter>[1] };
  return loaded.default;
}

async function createAdapter(platform: Platform): Promise<AbstractHttpAdapter> {
  if (platform === 'express') return new (await import('@nestjs/platform-express')).ExpressAdapter();
  return new (await import('@nestjs/platform-fastify')).FastifyAdapter();
}
