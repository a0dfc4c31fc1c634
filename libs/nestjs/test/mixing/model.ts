import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import { Traced } from '@dacapo/nestjs';

/** The one traced call: every record of it says whose it is. */
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

/** Connects for the first who asks, and answers everyone in the context of that one. */
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

/** What all users listen to, and some of them feed. */
export class Feed {
  readonly items = new Subject<void>();
}
