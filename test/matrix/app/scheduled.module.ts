import { Injectable, Module, type OnModuleInit } from '@nestjs/common';

/** Names of started jobs. A replay must start none. */
export const started: string[] = [];

/** Imitates the registry of `@nestjs/schedule`, whose methods a replay recognizes in any version of Nest. */
@Injectable()
class ScheduleExplorer implements OnModuleInit {
  onModuleInit(): void {
    this.explore();
  }

  explore(): void {
    this.lookupSchedulers();
  }

  lookupSchedulers(): void {
    started.push('schedules');
  }
}

@Module({ providers: [ScheduleExplorer] })
class ScheduleModule {}

/** Like the result of `forRoot`. */
export const scheduled = { module: ScheduleModule, global: true };
