import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  Module,
  type NestInterceptor,
  Param,
  Scope,
  UseInterceptors,
} from '@nestjs/common';
import type { Observable } from 'rxjs';
import { NoTrace, Traced, TracerModule } from '@dacapo/nestjs';
import { TracerTestingModule } from '@dacapo/nestjs/testing';

@Injectable()
class Model {
  @Traced('ask')
  async ask(user: string, place: string): Promise<string> {
    return `${user} ${place}`;
  }
}

@Injectable({ scope: Scope.REQUEST })
class AskingInterceptor implements NestInterceptor {
  constructor(@Inject(Model) private readonly model: Model) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { params } = context.switchToHttp().getRequest<{ params: { user: string } }>();
    await this.model.ask(params.user, 'interceptor');
    return next.handle();
  }
}

@Controller()
class UsersController {
  constructor(@Inject(Model) private readonly model: Model) {}

  @Get('users/:user')
  @UseInterceptors(AskingInterceptor)
  user(@Param('user') user: string): Promise<string> {
    return this.model.ask(user, 'handler');
  }

  @Get('health/:user')
  @NoTrace()
  health(@Param('user') user: string): Promise<string> {
    return this.model.ask(user, 'health');
  }
}

@Module({
  imports: [
    TracerModule.forRoot({
      enrich: (context) => ({
        sessionId: context.switchToHttp().getRequest<{ params: { user: string } }>().params.user,
      }),
    }),
    TracerTestingModule.forRoot(),
  ],
  controllers: [UsersController],
  providers: [Model],
})
export class BundledModule {}
