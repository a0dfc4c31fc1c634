import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { Interval, ScheduleModule } from '@nestjs/schedule';
import { Traced, TracerModule } from '@dacapo/nestjs';

@Injectable()
class Desk {
  @Traced('greet')
  greet(name: string): string {
    return `Hello ${name}`;
  }

  untraced(name: string): string {
    return `Hello ${name}`;
  }

  @Interval(1)
  often(): void {
    console.log('a schedule ran');
  }
}

@Module({ imports: [TracerModule.forRoot(), ScheduleModule.forRoot()], providers: [Desk] })
export class AppModule {}
