import { Body, Controller, Injectable, Post, ValidationPipe } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { createTestTracer } from '@dacapo/tracer/testing';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import { IsEmail, IsString, MinLength, ValidateNested } from 'class-validator';
import request from 'supertest';
import type { App } from 'supertest/types.js';
import { z } from 'zod';
import { RecordedCallsService } from '../../test/recorded-calls-service.js';
import { TracerModule } from '../module/tracer.module.js';
import { Traced } from '../tracing/traced.decorator.js';
import { ReplayService, type ServiceReplayOptions } from './replay.service.js';

class Customer {
  @IsEmail()
  mail!: string;

  get domain(): string {
    return this.mail.split('@')[1] ?? '';
  }
}

class Line {
  constructor(
    readonly name: string,
    readonly cents: number,
  ) {
    if (cents < 0) throw new Error('a refund');
  }
  total(): number {
    return this.cents;
  }
}

class Base {
  note = 'none';
  hasNote(): boolean {
    return this.note !== 'none';
  }
}

class TicketDto extends Base {
  @IsString()
  @MinLength(3)
  text!: string;

  @ValidateNested()
  @Type(() => Customer)
  customer!: Customer;

  @Transform(({ value }) => (value as string).split(','))
  tags!: string[];

  @Exclude({ toPlainOnly: true })
  secretCode?: string;

  @Expose({ name: 'due_date' })
  dueDate?: string;

  @Type(() => Line)
  lines?: Line[];

  title(): string {
    const lines = (this.lines ?? []).map((line) => line.total()).join('+');
    return `${this.text} of ${this.customer.domain} [${this.tags.join('|')}] ${this.hasNote()} ${lines}`;
  }
}

class Kept {
  at = new Date(0);
  big = 7n;
  map = new Map([['a', new Date(1)]]);
  set = new Set([1]);
  url = new URL('http://a.b/c');
  nothing: undefined = undefined;
  self: Kept = this;
  readonly fixed = 'f';
  describe(): string {
    const { at, big, map, set, url, self, fixed } = this;
    return [at.getTime(), big, map.get('a')?.getTime(), set.has(1), url.pathname, self === this, fixed].join(
      ' ',
    );
  }
}

class Untyped {
  customer!: Customer;
  domain(): string {
    return this.customer.domain;
  }
}

class Heir extends Untyped {
  mail(): string {
    return this.customer.mail;
  }
}

class Vault {
  #pin = '0000';
  setPin(pin: string): this {
    this.#pin = pin;
    return this;
  }
  pin(): string {
    return this.#pin;
  }
}

class Drifted {
  text!: string;
  title(): string {
    return this.text;
  }
}

class Parsed {
  static readonly schema = z.object({ text: z.string().min(3) });
  text!: string;
  loud(): string {
    return this.text.toUpperCase();
  }
}

class Circle {
  constructor(readonly r: number) {}
  area(): number {
    return this.r * this.r;
  }
}

class Square extends Circle {
  override area(): number {
    return 4 * this.r * this.r;
  }
}

class Drawing {
  @Type(() => Circle, { discriminator: { property: 'kind', subTypes: [{ name: 'square', value: Square }] } })
  shapes!: Circle[];

  @Type(() => Circle)
  byName!: Map<string, Circle>;

  /** A flag of a query: a text when it comes in, a boolean from then on. */
  @Transform(({ value }) => value === 'true')
  filled!: boolean;
}

class Limits {
  limits!: Map<string, number>;
  tags!: Set<string>;
}

@Injectable()
class Desk {
  @Traced('desk.title')
  title(ticket: TicketDto): string {
    return ticket.title();
  }

  @Traced('desk.kept')
  kept(kept: Kept): string {
    return kept.describe();
  }

  @Traced('desk.untyped')
  untyped(one: Untyped): string {
    return one.domain();
  }

  @Traced('desk.any')
  any(value: unknown, ticket?: Drifted): string {
    return (value as { of: Drifted }).of.title() + (ticket?.title() ?? '');
  }

  @Traced('desk.list')
  list(lines: Line[]): number {
    return lines[0]?.total() ?? 0;
  }

  @Traced('desk.vault')
  vault(vault: Vault): string {
    return vault.pin();
  }

  @Traced('desk.parsed')
  parsed(one: Parsed): string {
    return one.loud();
  }

  @Traced('desk.draw')
  draw({ shapes, byName, filled }: Drawing): string {
    return [...shapes, ...byName.values()].map((shape) => shape.area()).join('+') + String(filled);
  }

  @Traced('desk.limits')
  limits(one: Limits): string {
    return `${one instanceof Limits} ${one.limits.get('a')} ${one.tags.has('b')}`;
  }
}

@Controller()
class DeskController {
  constructor(private readonly desk: Desk) {}

  @Post('tickets')
  create(@Body(new ValidationPipe({ transform: true })) ticket: TicketDto): string {
    return this.desk.title(ticket);
  }
}

const make = <T extends object>(type: new () => T, data: Partial<T>): T => Object.assign(new type(), data);
const ann = () => make(Customer, { mail: 'ann@example.com' });

/** Records in one application, and replays in another. */
async function replay(
  method: 'title' | 'kept' | 'untyped' | 'any' | 'list' | 'vault' | 'parsed' | 'limits' | 'draw',
  record: (desk: Desk, server: App) => unknown,
  options: ServiceReplayOptions = {},
) {
  const { tracer, spans } = createTestTracer();
  const parts = { providers: [Desk], controllers: [DeskController] };
  const recording = await Test.createTestingModule({
    imports: [TracerModule.forRoot({ tracer })],
    ...parts,
  }).compile();
  const app = recording.createNestApplication();
  app.useLogger(false);
  await app.init();
  await record(app.get(Desk), app.getHttpServer() as App);
  await app.close();
  const service = await RecordedCallsService.start(spans);
  const { tracer: replaying } = createTestTracer({ serviceUrl: service.url });
  const replayed = await Test.createTestingModule({
    imports: [TracerModule.forRoot({ tracer: replaying })],
    ...parts,
  }).compile();
  try {
    const { items } = await replayed.get(ReplayService).replay(Desk, method, options);
    return items[0]!;
  } finally {
    await replayed.close();
    await service.close();
  }
}

describe('replay of arguments whose classes have methods', () => {
  it('gives a DTO that a pipe made its class again, with the nested ones that @Type names', async () => {
    const body = { text: 'late', customer: { mail: 'ann@example.com' }, tags: 'a,b', due_date: 'today' };
    const { result, originalOutput, input } = await replay('title', async (_, server) => {
      await request(server).post('/tickets').send(body).expect(201);
    });
    expect(originalOutput).toBe('late of example.com [a|b] false ');
    expect(result).toBe(originalOutput);
    expect(input).toMatchObject([{ text: 'late', dueDate: 'today', tags: ['a', 'b'] }]);
  });

  it('gives it the very data that was recorded: neither @Transform nor @Exclude nor a constructor runs on it again', async () => {
    const lines = [new Line('tea', 250), Object.assign(new Line('cake', 0), { cents: -50 })];
    const ticket = make(TicketDto, { text: 'late', customer: ann(), tags: ['x'], lines, note: 'call' });
    const { result } = await replay('title', (desk) => desk.title(ticket));
    expect(result).toBe('late of example.com [x] true 250+-50');
  });

  it('keeps dates, bigints, maps, sets, URLs and references inside', async () => {
    const { result } = await replay('kept', (desk) => desk.kept(new Kept()));
    expect(result).toBe('0 7 1 true /c true f');
  });

  it('finds the classes of subtypes and of the items of lists and maps', async () => {
    const { result } = await replay('draw', (desk) =>
      desk.draw(
        make(Drawing, {
          shapes: [new Circle(1), new Square(2)],
          byName: new Map([['c', new Circle(3)]]),
          filled: true,
        }),
      ),
    );
    expect(result).toBe('1+16+9true');
  });

  it('validates it before the call', async () => {
    const ticket = make(TicketDto, { text: 'no', customer: ann(), tags: [] });
    const { error } = await replay('title', (desk) => desk.title(ticket));
    expect(error).toMatchObject({
      code: 'NESTJS_REPLAY_INPUT',
      message: expect.stringContaining('text must be longer') as string,
    });
  });

  it('lets the schema of its class check it', async () => {
    const one = await replay('parsed', (desk) => desk.parsed(make(Parsed, { text: 'late' })));
    expect(one.result).toBe('LATE');
    const other = await replay('parsed', (desk) => desk.parsed(make(Parsed, { text: '' })));
    expect(other.error).toMatchObject({ code: 'NESTJS_REPLAY_INPUT' });
  });

  it.each<[string, Parameters<typeof replay>[0], (desk: Desk) => unknown, string, RegExp]>([
    [
      'a property without @Type',
      'untyped',
      (desk) => desk.untyped(make(Untyped, { customer: ann() })),
      '/0/customer',
      /argument 1 at \/customer of Desk.untyped was a Customer.*Put @Type\(\(\) => Customer\)/,
    ],
    [
      'a parameter that names no class',
      'any',
      (desk) => desk.any({ of: make(Drifted, { text: 'late' }) }),
      '/0/of',
      /argument 1 at \/of of Desk.any was a Drifted, .*adaptInput, or give the class a codec/,
    ],
    [
      'a list, whose items no decorator names',
      'list',
      (desk) => desk.list([new Line('tea', 1)]),
      '/0/0',
      /argument 1 at \/0 of Desk.list was a Line/,
    ],
    [
      'a parameter of a class that its own extends',
      'untyped',
      (desk) => desk.untyped(make(Heir, { customer: ann() })),
      '/0',
      /argument 1 of Desk.untyped was a Heir, .*Declare Heir as the type of the parameter/,
    ],
  ])('refuses an object in %s, and says where it stood', async (_, method, record, pointer, message) => {
    const { error } = await replay(method, record);
    expect(error).toMatchObject({ code: 'NESTJS_REPLAY_CLASS', pointer });
    expect((error as Error).message).toMatch(message);
  });

  it('finds the class of an object in any of the places where it stands', async () => {
    const drifted = make(Drifted, { text: 'late' });
    const { result } = await replay('any', (desk) => desk.any({ of: drifted }, drifted));
    expect(result).toBe('latelate');
  });

  it('plays what adaptInput made itself', async () => {
    const { result } = await replay('any', (desk) => desk.any({ of: make(Drifted, { text: 'late' }) }), {
      adaptInput: ([value]) => [{ of: make(Drifted, (value as { of: Drifted }).of) }],
    });
    expect(result).toBe('late');
  });

  it('refuses what adaptInput handed on as it came', async () => {
    const { error } = await replay('any', (desk) => desk.any({ of: make(Drifted, { text: 'late' }) }), {
      adaptInput: ([value]) => [{ ...(value as object), more: 1 }],
    });
    expect(error).toMatchObject({ code: 'NESTJS_REPLAY_CLASS', pointer: '/0/of' });
  });

  it('needs no class for what adaptInput left out', async () => {
    const { error } = await replay('any', (desk) => desk.any({ of: make(Drifted, { text: 'late' }) }), {
      adaptInput: () => [{ of: { title: () => 'new' } }],
    });
    expect(error).toBeUndefined();
  });

  it('refuses it with rebuildArguments: false, unless adaptInput makes it', async () => {
    const record = (desk: Desk) => desk.title(make(TicketDto, { text: 'late', customer: ann(), tags: [] }));
    const { error } = await replay('title', record, { rebuildArguments: false });
    expect(error).toMatchObject({ code: 'NESTJS_REPLAY_CLASS', pointer: '/0' });
    const { result } = await replay('title', record, {
      rebuildArguments: false,
      adaptInput: () => [make(TicketDto, { text: 'new', customer: ann(), tags: [] })],
    });
    expect(result).toBe('new of example.com [] false ');
  });

  it('refuses a class with #private fields: what is in them is not recorded', async () => {
    const { error } = await replay('vault', (desk) => desk.vault(new Vault().setPin('1234')), {
      adaptInput: () => [new Vault()],
    });
    expect(error).toMatchObject({ code: 'TRACER_CALL_NOT_REPLAYABLE' });
  });

  it('keeps maps and sets also in what was recorded as plain data', async () => {
    const plain: object = { limits: new Map([['a', 1]]), tags: new Set(['b']) };
    const { result } = await replay('limits', (desk) => desk.limits(plain as Limits));
    expect(result).toBe('true 1 true');
  });
});
