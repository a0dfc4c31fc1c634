import { type RunningCollector, startCollector } from '@dacapo/collector';
import { getTracerToken, InjectTracer, Traced, TracerModule } from '@dacapo/nestjs';
import type { Tracer } from '@dacapo/tracer';
import {
  Body,
  Controller,
  Get,
  type INestApplication,
  Injectable,
  Module,
  Param,
  Post,
  type Type,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './support/remove-folder.js';

const PERSONAL = {
  email: 'ann.miller@example.com',
  phone: '+49 30 1234567',
  card: '5019 7170 1010 3742',
  iban: 'GB29 NWBK 6016 1331 9268 19',
  ssn: '536-90-4399',
  ip: '203.0.113.7',
} as const;
const KINDS = Object.keys(PERSONAL) as (keyof typeof PERSONAL)[];
const TICKET = `I am Ann, ${Object.values(PERSONAL).join(', or ')}. Order 4711 is late.`;

@Injectable()
class Desk {
  constructor(@InjectTracer() private readonly tracer: Tracer) {}

  @Traced('desk.answer')
  async answer(ticket: string): Promise<{ text: string; streamed: boolean }> {
    const span = this.tracer.getCurrentSpan();
    span.setPrompt(`Answer: ${ticket}`);
    span.addContext({ ticket });
    this.tracer.getCurrentTrace().setMetadata({ about: ticket });
    span.score('polite', true, { explanation: ticket });
    const words: string[] = [];
    for await (const word of this.stream(ticket)) words.push(word);
    return { text: ticket, streamed: words.join('') === ticket };
  }

  @Traced('desk.stream')
  async *stream(ticket: string): AsyncGenerator<string> {
    for (let at = 0; at < ticket.length; at += 7) yield await Promise.resolve(ticket.slice(at, at + 7));
  }

  @Traced('desk.refuse')
  async refuse(ticket: string): Promise<never> {
    await Promise.resolve();
    throw Object.assign(new Error(`refused: ${ticket}`), { ticket });
  }
}

@Controller('tickets')
class TicketsController {
  constructor(private readonly desk: Desk) {}

  @Post()
  async post(@Body() { text }: { text: string }): Promise<unknown> {
    return this.desk.answer(text);
  }

  @Get(':customer')
  async get(@Param('customer') customer: string): Promise<unknown> {
    return this.desk.answer(customer);
  }

  @Post('refused')
  async refuse(@Body() { text }: { text: string }): Promise<unknown> {
    return this.desk.refuse(text);
  }
}

describe.each(['forRoot', 'forRootAsync'] as const)(
  'personal data in an application of Nest, with TracerModule.%s',
  (method) => {
    let folder: string;
    let collector: RunningCollector;
    let app: INestApplication;
    let url: string;

    async function start(pii: readonly (keyof typeof PERSONAL)[]): Promise<void> {
      const options = { apiKey: collector.apiKey!, serviceUrl: collector.url, capture: { pii: [...pii] } };
      @Module({
        imports: [
          method === 'forRoot'
            ? TracerModule.forRoot(options)
            : TracerModule.forRootAsync({ useFactory: () => options }),
        ],
        controllers: [TicketsController],
        providers: [Desk],
      })
      class AppModule {}
      const module = await Test.createTestingModule({ imports: [AppModule as Type] }).compile();
      app = module.createNestApplication({ logger: false, forceCloseConnections: true } as object);
      await app.listen(0, '127.0.0.1');
      url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
    }

    const post = async (path: string): Promise<Response> =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': PERSONAL.ip, from: PERSONAL.email },
        body: JSON.stringify({ text: TICKET }),
      });

    /** All that the collector answers about the calls, and all that is on its disk. */
    async function everything(): Promise<string> {
      const get = async (path: string): Promise<string> =>
        (await fetch(`${collector.url}/api/v1${path}`, { headers: { 'api-key': collector.apiKey! } })).text();
      const list = JSON.parse(await get('/traces')) as { items: { id: string }[] };
      const traces = await Promise.all(list.items.map(({ id }) => get(`/traces/${id}`)));
      await collector.close();
      const names = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = names.filter((entry) => entry.isFile());
      const bytes = await Promise.all(
        files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
      );
      return [...traces, ...bytes].join('\n');
    }

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'dacapo-nest-pii-'));
      collector = await startCollector({ port: 0, dataDir: folder });
    });

    afterEach(async () => {
      await app.close();
      await collector.close();
      await removeFolder(folder);
    });

    it('leaves no place of a record, of answers, errors, streams and requests', async () => {
      await start(KINDS);
      const answer = (await (await post('/tickets')).json()) as { text: string; streamed: boolean };
      expect(answer).toEqual({ text: TICKET, streamed: true });
      expect((await post('/tickets/refused')).status).toBe(500);
      await fetch(`${url}/tickets/${PERSONAL.email}?from=${PERSONAL.ip}`);
      await app.get<Tracer>(getTracerToken()).flush();
      const stored = await everything();
      expect(stored).toContain('Order 4711 is late');
      for (const personal of Object.values(PERSONAL)) expect(stored.includes(personal)).toBe(false);
      for (const part of ['ann.mil', '6016 13', '-90-439']) expect(stored.includes(part)).toBe(false);
    });

    // Both methods pass on the same options: each kind is tried with one of them.
    it.each(method === 'forRoot' ? KINDS : KINDS.slice(0, 1))(
      'is masked by the kinds that are named: %s',
      async (kind) => {
        await start([kind]);
        await post('/tickets');
        await app.get<Tracer>(getTracerToken()).flush();
        const stored = await everything();
        const left = KINDS.filter((name) => stored.includes(PERSONAL[name]));
        // Without presets, a card whose digits check is masked as a secret.
        expect(left.filter((name) => name !== 'card')).toEqual(
          KINDS.filter((name) => name !== kind && name !== 'card'),
        );
      },
    );
  },
);
