/** A test bundles and minifies it. Starts a replay context, waits, and prints what ran automatically and what was skipped. */
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { CqrsModule, EventBus, EventsHandler, ofType, Saga } from '@nestjs/cqrs';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { Interval, ScheduleModule } from '@nestjs/schedule';
import { map, type Observable } from 'rxjs';
import { TracerModule } from '../../src/module/tracer.module.js';
import { createReplayContext } from '../../src/replay/context/create-replay-context.js';
import { Traced } from '../../src/tracing/traced.decorator.js';

const ran: string[] = [];

class Placed {
  readonly kind = 'placed';
}

@Injectable()
class Reports {
  @Interval(1)
  often(): void {
    ran.push('interval');
  }

  @OnEvent('order.placed')
  onOrder(): void {
    ran.push('listener');
  }

  @Traced('reports.write')
  write(): string {
    return 'written';
  }
}

@EventsHandler(Placed)
class PlacedHandler {
  handle(): void {
    ran.push('event handler');
  }
}

@Injectable()
class Sagas {
  @Saga()
  follow = (events: Observable<object>): Observable<Placed> => {
    ran.push('saga');
    return events.pipe(
      ofType(Placed),
      map(() => new Placed()),
    );
  };
}

@Module({
  imports: [
    ScheduleModule.forRoot(),
    EventEmitterModule.forRoot(),
    CqrsModule,
    TracerModule.forRoot({ enabled: false }),
  ],
  providers: [Reports, PlacedHandler, Sagas],
})
class AppModule {}

async function main(): Promise<void> {
  const context = await createReplayContext(AppModule, { logger: false });
  context.app.get(EventEmitter2).emit('order.placed');
  context.app.get(EventBus).publish(new Placed());
  await sleep(50);
  const name = Reports.name;
  const methods = context.replays.methods().flatMap(({ key }) => (key === undefined ? [] : [key]));
  const leftOut = context.leftOut.map(({ work }) => work).sort();
  await context.close();
  process.stdout.write(JSON.stringify({ ran, leftOut, methods, isMinified: name !== 'Reports' }));
}

void main();
