import { Injectable } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { Cron, Interval, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test, type TestingModule } from '@nestjs/testing';
import { Traced } from '../../src/index.js';
import { TracerTestingModule } from '../../src/testing.js';

@Injectable()
class Jobs {
  @Cron('0 0 1 1 *', { name: 'above' })
  @Traced('cron.above')
  above(): void {
    // Only the call matters.
  }

  @Traced('cron.below')
  @Cron('0 0 1 1 *', { name: 'below' })
  below(): void {
    // Only the call matters.
  }

  @Interval('often', 3_600_000)
  @Traced('interval')
  often(): void {
    // Only its registration matters.
  }

  @OnEvent('ticket.opened')
  @Traced('on.event')
  onEvent(): void {
    // Only the call matters.
  }

  @Traced('on.two.events')
  @OnEvent('ticket.opened')
  @OnEvent('ticket.closed')
  onTwoEvents(): void {
    // Only the call matters.
  }

  @Traced('emitter')
  emit(emitter: EventEmitter2): void {
    emitter.emit('ticket.opened');
  }
}

describe('timers and events', () => {
  let app: TestingModule;
  let tracing: TracerTestingModule;

  beforeEach(async () => {
    app = await Test.createTestingModule({
      imports: [TracerTestingModule.forRoot(), ScheduleModule.forRoot(), EventEmitterModule.forRoot()],
      providers: [Jobs],
    }).compile();
    await app.init();
    tracing = app.get(TracerTestingModule);
  });
  afterEach(() => app.close());

  it('record a cron job as a trace of its own, in either order of the decorators', async () => {
    for (const name of ['above', 'below']) await app.get(SchedulerRegistry).getCronJob(name).fireOnTick();
    expect(tracing.spans.map((span) => [span.trace_function_key, span.parent_id])).toEqual([
      ['cron.above', undefined],
      ['cron.below', undefined],
    ]);
    expect(app.get(SchedulerRegistry).getIntervals()).toEqual(['often']);
  });

  it('record an event handler below the span that emitted the event', () => {
    app.get(Jobs).emit(app.get(EventEmitter2));
    const emitter = tracing.spans.at(-1);
    expect(tracing.spans.map((span) => [span.trace_function_key, span.parent_id])).toEqual([
      ['on.event', emitter?.id],
      ['on.two.events', emitter?.id],
      ['emitter', undefined],
    ]);
  });

  it('record a method that listens to several events', () => {
    app.get(EventEmitter2).emit('ticket.closed');
    expect(tracing.spans.map((span) => span.trace_function_key)).toEqual(['on.two.events']);
  });
});
