import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Injectable,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { Traced, TracerInterceptor } from '@dacapo/nestjs';

@Injectable()
export class Policies {
  @Traced('policy')
  async isAllowed(user: string): Promise<boolean> {
    return user !== 'stranger';
  }
}

/** Checks the header of a request, or the content of a message. */
@Injectable()
export class PolicyGuard implements CanActivate {
  constructor(private readonly policies: Policies) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const isMessage = context.getType() === 'rpc';
    return this.policies.isAllowed(
      isMessage ? context.switchToRpc().getData<{ user: string }>().user : 'known',
    );
  }
}

@Controller()
@UseGuards(PolicyGuard)
@UseInterceptors(TracerInterceptor)
export class MessagesController {
  @MessagePattern('greet')
  @Traced('messages.greet')
  greet({ user }: { user: string }): string {
    return `hello ${user}`;
  }
}
