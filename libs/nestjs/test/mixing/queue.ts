import { BullModule, getQueueToken, Processor, WorkerHost } from '@nestjs/bullmq';
import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { ENQUEUE, type Enqueue, Work } from './mixing-application.js';
import { Model } from './model.js';

/** The place of a job's call. */
export const QUEUED = 'job';

@Injectable()
@Processor('work', { concurrency: 10 })
class WorkProcessor extends WorkerHost {
  constructor(private readonly model: Model) {
    super();
  }

  async process({ data }: Job<Work>): Promise<string> {
    return this.model.ask(data.user, QUEUED);
  }
}

@Module({})
export class QueueModule {
  /** @param port port of a Redis on loopback */
  static forRoot(port: number): DynamicModule {
    return {
      module: QueueModule,
      global: true,
      imports: [
        BullModule.forRoot({ connection: { host: '127.0.0.1', port } }),
        BullModule.registerQueue({ name: 'work', defaultJobOptions: { removeOnComplete: true } }),
      ],
      providers: [
        WorkProcessor,
        {
          provide: ENQUEUE,
          useFactory:
            (queue: Queue<Work>): Enqueue =>
            async (user) => {
              await queue.add('work', new Work(user));
            },
          inject: [getQueueToken('work')],
        },
      ],
      exports: [ENQUEUE],
    };
  }
}
