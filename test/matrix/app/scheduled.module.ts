import { Injectable, Module, type OnModuleInit } from '@nestjs/common';

/** What was started here; a replay starts nothing of it. */
export const started: string[] = [];

/** Named and built as that of `@nestjs/schedule`, in whatever version of Nest. */
@Injectable()
class ScheduleExplorer implements OnModuleInit {
  onModuleInit(): void {
    this.explore();
  }

  explore(): void {
    started.push('schedules');
  }
}

@Module({ providers: [ScheduleExplorer] })
class ScheduleModule {}

/** As `forRoot` gives it. */
export const scheduled = { module: ScheduleModule, global: true };
