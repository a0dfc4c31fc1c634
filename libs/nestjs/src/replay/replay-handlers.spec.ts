import {
  Body,
  Controller,
  createParamDecorator,
  Injectable,
  Param,
  ParseIntPipe,
  type PipeTransform,
  Post,
  Res,
  type Type,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { createTestTracer } from '@dacapo/tracer/testing';
import { Type as TransformTo } from 'class-transformer';
import { IsOptional, IsString, MinLength } from 'class-validator';
import request from 'supertest';
import type { App } from 'supertest/types.js';
import { RecordedCallsService } from '../../test/recorded-calls-service.js';
import { TracerModule } from '../module/tracer.module.js';
import { Traced } from '../tracing/traced.decorator.js';
import { ReplayService } from './replay.service.js';

class TicketDto {
  @IsString()
  @MinLength(3)
  text!: string;

  @IsOptional()
  @TransformTo(() => Date)
  due?: Date;
}

const FromBody = createParamDecorator(
  (_data: unknown, context) => context.switchToHttp().getRequest<{ body: unknown }>().body,
);

@Injectable()
class Shout implements PipeTransform {
  transform(value: unknown): unknown {
    return value instanceof TicketDto ? Object.assign(value, { text: `${value.text}!` }) : value;
  }
}

interface Reply {
  send(text: string): unknown;
}

@Controller('tickets')
class TicketsController {
  @Post(':id')
  @Traced('tickets.create')
  create(@Param('id', ParseIntPipe) id: number, @Body() ticket: TicketDto): string {
    return `${typeof id} ${ticket.constructor.name} ${Object.keys(ticket).join()} ${ticket.text}`;
  }

  @Post('by/decorator')
  @UsePipes(Shout)
  @Traced('tickets.custom')
  custom(@FromBody() ticket: TicketDto): string {
    return `${ticket.constructor.name} ${ticket.text}`;
  }

  @Post('by/hand')
  @Traced('tickets.hand')
  hand(@Body() ticket: TicketDto, @Res() reply: Reply): void {
    reply.send(ticket.text);
  }
}

const PLATFORMS: [string, () => FastifyAdapter | undefined][] = [
  ['Express', () => undefined],
  ['Fastify', () => new FastifyAdapter()],
];

describe.each(PLATFORMS)('a replay of handlers on %s', (_, adapter) => {
  let service: RecordedCallsService;

  beforeAll(async () => {
    const { tracer, spans } = createTestTracer();
    const module = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer })],
      controllers: [TicketsController],
    }).compile();
    const made = adapter();
    const app = made === undefined ? module.createNestApplication() : module.createNestApplication(made);
    await app.init();
    if (made !== undefined) await made.getInstance().ready();
    const post = async (path: string, body: object) => {
      await request(app.getHttpServer() as App)
        .post(`/tickets/${path}`)
        .send(body)
        .expect(201);
    };
    await post('7', { text: 'late', due: '2026-01-02T00:00:00Z', extra: 1 });
    await post('8', { text: 'no' });
    await post('by/decorator', { text: 'custom' });
    await post('by/hand', { text: 'by hand' });
    await app.close();
    service = await RecordedCallsService.start(spans);
  });
  afterAll(() => service.close());

  async function replaying(pipe: PipeTransform | Type<PipeTransform> | undefined) {
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const module = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer })],
      controllers: [TicketsController],
      providers: typeof pipe === 'function' ? [{ provide: APP_PIPE, useClass: pipe }] : [],
    }).compile();
    const app = module.createNestApplication();
    if (typeof pipe === 'object') app.useGlobalPipes(pipe);
    await app.init();
    return app;
  }

  const validating = new ValidationPipe({ transform: true, whitelist: true });
  @Injectable()
  class OwnPipe extends ValidationPipe {
    constructor() {
      super({ transform: true, whitelist: true });
    }
  }

  it.each([
    ['of useGlobalPipes', validating],
    ['under APP_PIPE', OwnPipe],
  ])(
    'passes plain data through the global pipe %s with its options, and notes what the pipe refuses',
    async (_way, pipe) => {
      const app = await replaying(pipe);
      const { items } = await app.get(ReplayService).replay(TicketsController, 'create');
      await app.close();
      expect(items[0]?.result).toBe('number TicketDto text,due late');
      expect(items[0]?.notes).toBeUndefined();
      expect(items[1]?.result).toBe('number Object text no');
      expect(items[1]?.notes).toEqual([
        'Argument 2 does not match TicketsController.create today: text must be longer than or equal to 3 characters. It was passed as recorded.',
      ]);
    },
  );

  it('passes plain data unchanged if the application has no pipe', async () => {
    const app = await replaying(undefined);
    const { items } = await app.get(ReplayService).replay(TicketsController, 'create');
    await app.close();
    expect(items.map(({ result }) => result)).toEqual([
      'number Object text,due,extra late',
      'number Object text no',
    ]);
  });

  it('applies the pipes of the handler and of custom parameter decorators, as Nest does', async () => {
    const app = await replaying(new ValidationPipe({ transform: true, validateCustomDecorators: true }));
    const { items } = await app.get(ReplayService).replay(TicketsController, 'custom');
    await app.close();
    expect(items).toMatchObject([{ result: 'TicketDto custom!' }]);
  });

  it('replays a handler with @Res() if adaptArgs supplies one', async () => {
    const app = await replaying(undefined);
    const sent: string[] = [];
    const replays = app.get(ReplayService);
    const refused = await replays.replay(TicketsController, 'hand');
    const { items } = await replays.replay(TicketsController, 'hand', {
      adaptArgs: ([ticket]): [TicketDto, Reply] => [ticket as TicketDto, { send: (text) => sent.push(text) }],
    });
    await app.close();
    expect(refused.items).toMatchObject([{ error: { code: 'TRACER_CALL_NOT_REPLAYABLE' } }]);
    expect([items[0]?.error, sent]).toEqual([undefined, ['by hand']]);
  });
});
