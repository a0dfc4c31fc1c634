import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TracerModule } from '@dacapo/nestjs';
import { AppConfig } from './config/app-config.js';
import { ConfigModule } from './config/config.module.js';
import { IndexesModule } from './indexes/indexes.module.js';
import { ReplaysModule } from './replays/replays.module.js';
import { TicketsModule } from './tickets/tickets.module.js';
import { TracerErrorFilter } from './tracing/tracer-error.filter.js';

/** The support desk. */
@Module({})
export class AppModule {
  static register(config: AppConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.register(config),
        TracerModule.forRootAsync({ inject: [AppConfig], useFactory: ({ tracer }: AppConfig) => tracer }),
        TicketsModule,
        IndexesModule,
        ReplaysModule,
      ],
      providers: [{ provide: APP_FILTER, useClass: TracerErrorFilter }],
    };
  }
}
