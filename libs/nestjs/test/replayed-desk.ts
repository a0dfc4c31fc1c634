import { Body, Controller, Injectable, Post, ValidationPipe } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { createTestTracer } from '@dacapo/tracer/testing';
import type { ReplayResult } from '@dacapo/tracer';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import { IsEmail, IsString, MinLength, ValidateNested } from 'class-validator';
import type { App } from 'supertest/types.js';
import { z } from 'zod';
import { RecordedCallsService } from './recorded-calls-service.js';
import type { TracerModuleOptions } from '../src/module/module-options.js';
import { TracerModule } from '../src/module/tracer.module.js';
import { Traced } from '../src/tracing/traced.decorator.js';
import type { ServiceReplayOptions } from '../src/replay/replay-options.js';
import { ReplayService } from '../src/replay/replay.service.js';

/** Classes of arguments, each hard to restore for another reason. */
export class Customer {
  @IsEmail()
  mail!: string;

  get domain(): string {
    return this.mail.split('@')[1] ?? '';
  }
}

export class Line {
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

export class TicketDto extends Base {
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

export class Kept {
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

export class Untyped {
  customer!: Customer;
  domain(): string {
    return this.customer.domain;
  }
}

export class Heir extends Untyped {
  mail(): string {
    return this.customer.mail;
  }
}

export class Vault {
  #pin = '0000';
  setPin(pin: string): this {
    this.#pin = pin;
    return this;
  }
  pin(): string {
    return this.#pin;
  }
}

export class Drifted {
  text!: string;
  title(): string {
    return this.text;
  }
}

export class Parsed {
  static readonly schema = z.object({ text: z.string().min(3) });
  text!: string;
  loud(): string {
    return this.text.toUpperCase();
  }
}

export class Circle {
  constructor(readonly r: number) {}
  area(): number {
    return this.r * this.r;
  }
}

export class Square extends Circle {
  override area(): number {
    return 4 * this.r * this.r;
  }
}

export class Drawing {
  @Type(() => Circle, { discriminator: { property: 'kind', subTypes: [{ name: 'square', value: Square }] } })
  shapes!: Circle[];

  @Type(() => Circle)
  byName!: Map<string, Circle>;

  /** A query flag: a string in the request, a boolean after the pipe. */
  @Transform(({ value }) => value === 'true')
  filled!: boolean;
}

export class Limits {
  limits!: Map<string, number>;
  tags!: Set<string>;
}

@Injectable()
export class Desk {
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
  any(value: { of: Line | Circle } | { of: Drifted }, ticket?: Drifted): string {
    const { of } = value;
    const text = 'title' in of ? of.title() : of instanceof Line ? of.total() : of.area();
    return `${text}${ticket?.title() ?? ''}`;
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

export const make = <T extends object>(type: new () => T, data: Partial<T>): T =>
  Object.assign(new type(), data);
export const ann = () => make(Customer, { mail: 'ann@example.com' });

/** Records in one application and replays in another. */
export async function replay(
  method: 'title' | 'kept' | 'untyped' | 'any' | 'list' | 'vault' | 'parsed' | 'limits' | 'draw',
  record: (desk: Desk, server: App) => unknown,
  { replayClasses, ...options }: ServiceReplayOptions & Pick<TracerModuleOptions, 'replayClasses'> = {},
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
    imports: [TracerModule.forRoot({ tracer: replaying, replayClasses })],
    ...parts,
  }).compile();
  try {
    // No options have the right type for several methods at once.
    const replays: { replay(...args: unknown[]): Promise<ReplayResult> } = replayed.get(ReplayService);
    const { items } = await replays.replay(Desk, method, options);
    return items[0]!;
  } finally {
    await replayed.close();
    await service.close();
  }
}
