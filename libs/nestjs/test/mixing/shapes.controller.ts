import type { ServerResponse } from 'node:http';
import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  type INestApplication,
  Inject,
  Injectable,
  type MessageEvent,
  type NestInterceptor,
  Param,
  Res,
  Scope,
  Sse,
  UseInterceptors,
} from '@nestjs/common';
import * as rx from 'rxjs';
import { getCurrentTrace } from '@dacapo/tracer';
import { Feed, Model, SessionStore } from './model.js';

type Ask = () => Promise<string>;
type Stream = (items: rx.Observable<void>, ask: Ask) => rx.Observable<string>;

const stream: Stream = (items, ask) => items.pipe(rx.take(1), rx.mergeMap(ask));

/** Streams of an endpoint. Each ends with the user's own call, which another user's request triggers. */
const STREAMS: Readonly<Record<string, Stream>> = {
  merge: (items, ask) =>
    rx
      .merge(rx.interval(20).pipe(rx.map(() => 'beat')), stream(items, ask))
      .pipe(rx.takeWhile((item) => item === 'beat', true)),
  concat: (items, ask) => rx.concat(rx.of('start'), stream(items, ask)),
  defer: (items, ask) => rx.defer(() => stream(items, ask)),
  own: (items, ask) =>
    new rx.Observable((subscriber) =>
      items.pipe(rx.take(1)).subscribe(() => {
        void ask().then((answer) => {
          subscriber.next(answer);
          subscriber.complete();
        });
      }),
    ),
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- applications use them
  connectable: (items, ask) => stream(items, ask).pipe(rx.publishReplay(1), rx.refCount()),
};

export const STREAM_NAMES = Object.keys(STREAMS);

interface UserRequest {
  readonly params: { readonly user: string };
}

/** Continues in the context of the request that the session store answers first. */
abstract class LateInterceptor implements NestInterceptor {
  protected abstract readonly place: string;

  constructor(
    private readonly model: Model,
    private readonly sessions: SessionStore,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): rx.Observable<unknown> {
    const { user } = context.switchToHttp().getRequest<UserRequest>().params;
    const loaded = new Promise<rx.Observable<unknown>>((resolve) => {
      this.sessions.load(() => {
        resolve(next.handle());
      });
    });
    return rx
      .defer(() => this.model.ask(user, this.place))
      .pipe(
        rx.switchMap(() => loaded),
        rx.switchMap((handled) => handled),
      );
  }
}

@Injectable({ scope: Scope.REQUEST })
export class RequestScopedInterceptor extends LateInterceptor {
  protected readonly place = 'request-scoped';

  constructor(@Inject(Model) model: Model, @Inject(SessionStore) sessions: SessionStore) {
    super(model, sessions);
  }
}

@Injectable({ scope: Scope.TRANSIENT })
export class TransientInterceptor extends LateInterceptor {
  protected readonly place = 'transient';

  constructor(@Inject(Model) model: Model, @Inject(SessionStore) sessions: SessionStore) {
    super(model, sessions);
  }
}

type Answer = ServerResponse & { readonly raw?: ServerResponse; send(body: string): void };

/** Shapes in which contexts were lost before. */
@Controller()
export class ShapesController {
  constructor(
    private readonly model: Model,
    private readonly sessions: SessionStore,
    private readonly feed: Feed,
  ) {}

  @Sse('streams/:stream/:user')
  streams(@Param('stream') stream: string, @Param('user') user: string): rx.Observable<MessageEvent> {
    const ask = (): Promise<string> => this.model.ask(user, stream);
    return (STREAMS[stream]?.(this.feed.items, ask) ?? rx.EMPTY).pipe(rx.map((data) => ({ data })));
  }

  /** Returns data or an Observable: one handler can return both. */
  @Get('later/:kind/:user')
  async later(@Param('kind') kind: string, @Param('user') user: string): Promise<unknown> {
    const ask = (): Promise<string> => this.model.ask(user, 'later');
    return kind === 'data' ? { text: await ask() } : stream(this.feed.items, ask);
  }

  @Get('listening/:user')
  listening(@Param('user') user: string, @Res() response: Answer): void {
    const raw = response.raw ?? response;
    raw.on('finish', () => void this.model.ask(user, 'finish'));
    raw.on('close', () => void this.model.ask(user, 'close'));
    this.sessions.load(() => {
      response.send('saved');
    });
  }

  @Get('scoped/:user')
  @UseInterceptors(RequestScopedInterceptor, TransientInterceptor)
  scoped(@Param('user') user: string): Promise<string> {
    return this.model.ask(user, 'scoped handler');
  }

  @Get('hooked/:user')
  async hooked(@Param('user') user: string): Promise<{ text: string }> {
    return { text: await this.model.ask(user, 'hooked handler') };
  }
}

type Done = (error?: null, payload?: unknown) => void;
interface Fastify {
  addHook(name: string, hook: (...args: never[]) => unknown): void;
}
type Step = (
  request: UserRequest & { readonly path: string },
  response: { send(body: string): void },
  next: () => void,
) => void;
interface Router {
  get(path: string, ...steps: Step[]): Router;
}

/** A late hook and the step after it, on `hooked/:user` of Fastify. */
export function addHooks(app: INestApplication): void {
  const [model, sessions] = [app.get(Model), app.get(SessionStore)];
  const fastify = app.getHttpAdapter().getInstance() as Fastify;
  const isHooked = ({ url }: { url: string }): boolean => url.startsWith('/hooked/');
  const readUser = ({ url }: { url: string }): string => String(url.split('/').at(-1));
  fastify.addHook('preHandler', (request: { url: string }, _reply: unknown, done: Done) => {
    if (isHooked(request)) sessions.load(done);
    else done();
  });
  fastify.addHook('preHandler', async (request: { url: string }) => {
    if (isHooked(request)) await model.ask(readUser(request), 'hook');
  });
  fastify.addHook('onSend', (request: { url: string }, _reply: unknown, payload: unknown, done: Done) => {
    const passOn = (): void => {
      done(null, payload);
    };
    if (isHooked(request)) sessions.load(passOn);
    else passOn();
  });
  fastify.addHook('onSend', async (request: { url: string }, _reply: unknown, payload: unknown) => {
    if (isHooked(request)) await model.ask(readUser(request), 'payload hook');
    return payload;
  });
}

/** A late step of an `express.Router` and the step after it, on `routed/:user`. */
export function addRouter(app: INestApplication, express: { Router(): Router }): void {
  const [model, sessions] = [app.get(Model), app.get(SessionStore)];
  const late: Step = (_request, _response, next) => {
    sessions.load(next);
  };
  const asking: Step = ({ params }, _response, next) => {
    getCurrentTrace().setSessionId(params.user);
    void model.ask(params.user, 'step').then(() => {
      next();
    });
  };
  const answering: Step = ({ params }, response) => {
    void model.ask(params.user, 'last step').then((answer) => {
      response.send(answer);
    });
  };
  app.use('/routed', express.Router().get('/:user', late, asking, late, answering));
}
