import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { createReplayContext, Traced, TracerModule } from '@dacapo/nestjs';

@Injectable()
class Desk {
  @Traced('greet')
  greet(name: string): string {
    return `Hello ${name}`;
  }
}

const OtherDesk = Object.defineProperty(
  class {
    greet(): void {
      return undefined;
    }
  },
  'name',
  { value: 'Desk' },
);

@Module({ imports: [TracerModule.forRoot()], providers: [Desk, { provide: 'OTHER', useClass: OtherDesk }] })
export class TwoOfOneName {}

@Module({
  imports: [TracerModule.forRoot()],
  providers: [{ provide: 'X', inject: ['NOWHERE'], useFactory: () => 1 }],
})
export class DoesNotStart {}

@Module({ imports: [TracerModule.forRoot()], providers: [Desk] })
class DeskModule {}

/** Starts according to the application's own rules. */
export const started = createReplayContext(DeskModule, { logger: false });

export const register = Promise.resolve({ module: DeskModule, imports: [] });
