/** Needs `redis-server`: `npm run test:servers`. */
import { BullModule, InjectQueue, Processor, WorkerHost } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type Job, type Queue, QueueEvents } from 'bullmq';
import { injectTraceContext } from '@dacapo/tracer';
import { Traced, TracerModule } from '../../src/index.js';
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
    incoming: 'continue',
    captureInput: ([job]) => (job as Job<Ticket>).data,
  })
  async process(job: Job<Ticket>): Promise<string> {
    return this.answers.answer(job.data.text);
  }
}

interface Question {
  user: string;
}

@Injectable()
class Questions {
  constructor(@InjectQueue('questions') readonly queue: Queue<Question>) {}

  @Traced('questions.add')
  async add(user: string): Promise<Job<Question>[]> {
    return [
      await this.queue.add('question', { user }),
      ...(await this.queue.addBulk([{ name: 'question', data: { user } }])),
    ];
  }
}

@Processor('questions')
class QuestionProcessor extends WorkerHost {
  constructor(private readonly answers: Answers) {
    super();
  }

  async process({ data }: Job<Question>): Promise<Question> {
    await this.answers.answer(data.user);
    return data;
  }
}

describe('a BullMQ processor', () => {
  it('continues the trace with an option of the module, in the session from enrich', async () => {
    const redis = await startRedis();
    const connection = { host: '127.0.0.1', port: redis.port };
    const app = await Test.createTestingModule({
      imports: [
        TracerModule.forRoot({
          propagate: { queues: true },
          enrich: (context) => ({
            sessionId: `${context.getType<string>()} ${context.getArgByIndex<Job<Question>>(0).data.user}`,
          }),
        }),
        TracerTestingModule.forRoot(),
        BullModule.forRoot({ connection }),
        BullModule.registerQueue({ name: 'questions' }),
      ],
      providers: [Answers, Questions, QuestionProcessor],
    }).compile();
    await app.init();
    const events = new QueueEvents('questions', { connection });
    await events.waitUntilReady();

    const jobs = await app.get(Questions).add('ann');
    const results = await Promise.all(jobs.map((job) => job.waitUntilFinished(events)));
    const { queue } = app.get(Questions);
    const alone = await queue.add('question', { user: 'bob' });
    await alone.waitUntilFinished(events);
    await events.close();
    await app.close();
    await redis.close();

    expect(results).toEqual([{ user: 'ann' }, { user: 'ann' }]);
    const { spans, traces } = app.get(TracerTestingModule);
    const [add] = spans.filter((span) => span.trace_function_key === 'questions.add');
    const processed = spans.filter((span) => span.trace_function_key === 'QuestionProcessor.process');
    expect(processed).toMatchObject([
      { trace_id: add?.trace_id, parent_id: add?.id },
      { trace_id: add?.trace_id, parent_id: add?.id },
      { span_data: { input: [{ transport: 'queue' }] } },
    ]);
    expect(processed[2]?.parent_id).toBeUndefined();
    expect(traces.map(({ session_id: session }) => session)).toEqual(['queue ann', 'queue bob']);
  }, 30_000);

  it('continues the trace that added the job', async () => {
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
