import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import { Traced } from '@dacapo/nestjs';

/** The only traced call. Each record names its user. */
@Injectable()
export class Model {
  @Traced('ask')
  async ask(user: string, place: string): Promise<string> {
    await new Promise((resolve) => setImmediate(resolve));
    return `${place} of ${user}`;
  }

  @Traced('batch')
  async batch(users: readonly string[]): Promise<string[]> {
    return [...users];
  }
}

/** Connects for the first caller, and answers all callers in its context. */
@Injectable()
export class SessionStore {
  private readonly waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  load(answered: () => void): void {
    this.waiting.push(answered);
    this.timer ??= setInterval(() => {
      for (const next of this.waiting.splice(0)) next();
    }, 2).unref();
  }
}

/** All users listen to it, and some emit. */
export class Feed {
  readonly items = new Subject<void>();
}
