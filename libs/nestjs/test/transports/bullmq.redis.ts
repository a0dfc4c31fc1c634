/** Needs `redis-server`: `npm run test:servers`. */
import { BullModule, InjectQueue, Processor, WorkerHost } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type Job, type Queue, QueueEvents } from 'bullmq';
import { injectTraceContext } from '@dacapo/tracer';
import { Traced } from '../../src/index.js';
import { TracerTestingModule } from '../../src/testing.js';
import { startRedis } from './redis-server.js';

interface Ticket {
  text: string;
  traceparent?: string;
}

@Injectable()
class Answers {
  @Traced('answer')
  async answer(text: string): Promise<string> {
    return `re: ${text}`;
  }
}

@Injectable()
class Tickets {
  constructor(@InjectQueue('tickets') readonly queue: Queue<Ticket>) {}

  @Traced('tickets.add')
  async add(text: string): Promise<Job<Ticket>> {
    return this.queue.add('ticket', injectTraceContext({ text }));
  }
}

@Processor('tickets')
class TicketProcessor extends WorkerHost {
  constructor(private readonly answers: Answers) {
    super();
  }

  @Traced('tickets.process', {
    traceContext: (job: Job<Ticket>) => ({ ...job.data }),
    captureInput: ([job]) => (job as Job<Ticket>).data,
  })
  async process(job: Job<Ticket>): Promise<string> {
    return this.answers.answer(job.data.text);
  }
}

describe('a BullMQ processor', () => {
  it('continues the trace of whoever added the job', async () => {
    const redis = await startRedis();
    const app = await Test.createTestingModule({
      imports: [
        TracerTestingModule.forRoot(),
        BullModule.forRoot({ connection: { host: '127.0.0.1', port: redis.port } }),
        BullModule.registerQueue({ name: 'tickets' }),
      ],
      providers: [Answers, Tickets, TicketProcessor],
    }).compile();
    await app.init();
    const events = new QueueEvents('tickets', { connection: { host: '127.0.0.1', port: redis.port } });
    await events.waitUntilReady();

    const job = await app.get(Tickets).add('why');
    expect(await job.waitUntilFinished(events)).toBe('re: why');

    const { spans } = app.get(TracerTestingModule);
    const [add, answer, process] = ['tickets.add', 'answer', 'tickets.process'].map((key) =>
      spans.find((span) => span.trace_function_key === key),
    );
    expect(process).toMatchObject({ trace_id: add?.trace_id, parent_id: add?.id });
    expect(answer).toMatchObject({ trace_id: add?.trace_id, parent_id: process?.id });
    await events.close();
    await app.close();
    await redis.close();
  }, 30_000);
});
