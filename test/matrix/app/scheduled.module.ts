import { Injectable, Module, type OnModuleInit } from '@nestjs/common';

/** What was started here; a replay starts nothing of it. */
export const started: string[] = [];

/** Built as that of `@nestjs/schedule`, by whose methods a replay recognizes it, in whatever version of Nest. */
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

/** As `forRoot` gives it. */
export const scheduled = { module: ScheduleModule, global: true };
