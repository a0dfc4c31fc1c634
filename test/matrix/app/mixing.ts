import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Controller,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Param,
  Res,
} from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { type ClientProxy, ClientProxyFactory, MessagePattern, Transport } from '@nestjs/microservices';
import { type Observable, switchMap } from 'rxjs';
import { bind } from '@dacapo/tracer';
import { Traced, TracerModule } from '@dacapo/nestjs';
import { TracerTestingModule } from '@dacapo/nestjs/testing';
import { freePort } from './free-port.js';

const USERS = 20;
const LONGEST_WAIT_MS = 15_000;
const PLACES = ['handler', 'after the answer'];

@Injectable()
class Model {
  @Traced('ask')
  async ask(user: string, place: string): Promise<string> {
    return `${place} of ${user}`;
  }
}

type Answer = ServerResponse & { readonly raw?: ServerResponse };

@Controller('users')
class UsersController {
  constructor(
    private readonly model: Model,
    @Inject('REMOTE') private readonly remote: ClientProxy,
  ) {}

  @MessagePattern('echo')
  echo({ user }: { user: string }): string {
    return user;
  }

  /** The first call connects the client; the connection answers all calls. */
  @Get(':user')
  ask(@Param('user') user: string, @Res({ passthrough: true }) response: Answer): Observable<string> {
    (response.raw ?? response).once('close', () => {
      setImmediate(bind(() => void this.model.ask(user, 'after the answer')));
    });
    return this.remote
      .send<string>('echo', { user })
      .pipe(switchMap((echoed) => this.model.ask(echoed, 'handler')));
  }

  @Get('excluded/:user')
  excluded(@Param('user') user: string, @Res({ passthrough: true }) response: Answer): Promise<string> {
    (response.raw ?? response).once('close', () => {
      setImmediate(() => void this.model.ask(user, 'excluded'));
    });
    return this.model.ask(user, 'excluded');
  }
}

/** Calls every `next` in the context of the first request. */
class SessionStore {
  private readonly waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  readonly load = (_request: unknown, _response: unknown, next: () => void): void => {
    this.waiting.push(next);
    this.timer ??= setInterval(() => {
      for (const waiting of this.waiting.splice(0)) waiting();
    }, 2).unref();
  };
}

@Module({})
class UsersModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(new SessionStore().load).forRoutes(UsersController);
  }
}

/** Fails unless the calls of each concurrent user are in separate traces and in the user's session. */
export async function checkMixing(platform: 'express' | 'fastify'): Promise<void> {
  const remote = {
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port: await freePort() },
  } as const;
  const module = {
    module: UsersModule,
    imports: [
      TracerModule.forRoot({
        exclude: (context) => context.getHandler().name === 'excluded',
        enrich: (context) => ({ sessionId: readUser(context) }),
      }),
      TracerTestingModule.forRoot(),
    ],
    controllers: [UsersController],
    providers: [Model, { provide: 'REMOTE', useFactory: () => ClientProxyFactory.create(remote) }],
  };
  const options = { logger: ['error', 'warn'], forceCloseConnections: true } as object;
  const app = await NestFactory.create(module, await createAdapter(platform), options);
  app.connectMicroservice(remote, { inheritAppConfig: true });
  await app.startAllMicroservices();
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const users = Array.from({ length: USERS }, (_, index) => `user ${index}`);
  await Promise.all(
    users.flatMap((user) =>
      [`users/${user}`, `users/excluded/${user}`].map(async (path) => {
        const response = await fetch(`http://127.0.0.1:${port}/${path}`);
        assert.equal(response.status, 200, await response.text());
      }),
    ),
  );
  const tracing = app.get(TracerTestingModule);
  const expected = users.flatMap((user) => PLACES.map((place) => `${place} of ${user} in ${user}`));
  const endMs = Date.now() + LONGEST_WAIT_MS;
  while (listCalls(tracing).length < expected.length && Date.now() < endMs)
    await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(listCalls(tracing).sort(), expected.sort());
  const owners = new Map<string, string>();
  for (const { trace_id: trace, span_data: data } of findAskSpans(tracing)) {
    const [user] = data.input as [string];
    assert.equal(owners.get(trace) ?? user, user);
    owners.set(trace, user);
  }
  await app.get<ClientProxy>('REMOTE').close();
  await app.close();
}

function findAskSpans({ spans }: TracerTestingModule): TracerTestingModule['spans'] {
  return spans.filter((span) => span.trace_function_key === 'ask');
}

/** Each call with its user and the session of its trace. */
function listCalls(tracing: TracerTestingModule): string[] {
  const sessions = new Map(tracing.traces.map(({ id, session_id: session }) => [id, session]));
  return findAskSpans(tracing).map(({ trace_id: trace, span_data: data }) => {
    const [user, place] = data.input as [string, string];
    return `${place} of ${user} in ${sessions.get(trace) ?? 'no session'}`;
  });
}

function readUser(context: ExecutionContext): string {
  const [first] = context.getArgs<[{ user?: string; params?: { user: string } }]>();
  return first.params?.user ?? first.user ?? 'nobody';
}

/** Imported at run time, because the types of Fastify's adapter need optional packages. */
async function createAdapter(platform: 'express' | 'fastify'): Promise<AbstractHttpAdapter> {
  const name: string = `@nestjs/platform-${platform}`;
  const adapters = (await import(name)) as Record<string, new () => AbstractHttpAdapter>;
  const Adapter = adapters[platform === 'express' ? 'ExpressAdapter' : 'FastifyAdapter'];
  assert.ok(Adapter);
  return new Adapter();
}
