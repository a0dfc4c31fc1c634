import type { ReplayItem } from '@dacapo/tracer';
import type { Observable } from 'rxjs';
import { same } from '../../../../test/support/same-type.js';
import type { ReplayService } from './replay.service.js';
import type { MethodArguments, MethodName, MethodOutput } from './replay-options.js';

class Ticket {
  text = '';
}

abstract class Desk {
  readonly label: string = '';
  abstract plain(ticket: Ticket, tone?: string): string;
  abstract later(): Promise<Ticket>;
  abstract generated(n: number): Generator<number, string>;
  abstract streamed(): AsyncGenerator<Ticket>;
  abstract laterStreamed(): Promise<AsyncIterable<string>>;
  abstract observed(): Observable<Ticket>;
  abstract listed(...tickets: Ticket[]): Ticket[];
  abstract mapped(): Map<string, number>;
  abstract generic<T extends Ticket>(ticket: T): Promise<T>;
  abstract overloaded(id: number): Promise<number>;
  abstract overloaded(name: string, loud: boolean): string;
  abstract nothing(): void;
  abstract whatever(): unknown;
}

/** Never called: only its type matters. */
async function typed(replays: ReplayService) {
  return replays.replay(Desk, 'plain', {
    adaptArgs: ([ticket], { metadata }) => [ticket as Ticket, String(metadata['tone'])],
    around: (call) => call(),
  });
}

describe('the types of a method replay', () => {
  it('accept only names of methods', () => {
    expect(same<'label' extends MethodName<Desk> ? true : false, false>(true)).toBe(true);
    expect(same<'plain' extends MethodName<Desk> ? true : false, true>(true)).toBe(true);
  });

  it('have the arguments of the method', () => {
    expect(same<MethodArguments<Desk['plain']>, [ticket: Ticket, tone?: string | undefined]>(true)).toBe(
      true,
    );
    expect(same<MethodArguments<Desk['later']>, []>(true)).toBe(true);
    expect(same<MethodArguments<Desk['listed']>, Ticket[]>(true)).toBe(true);
    expect(same<MethodArguments<Desk['generic']>, [ticket: Ticket]>(true)).toBe(true);
  });

  it('have the arguments and outputs of each overload', () => {
    type Overloads = [id: number] | [name: string, loud: boolean];
    expect(same<MethodArguments<Desk['overloaded']>, Overloads>(true)).toBe(true);
    expect(same<MethodOutput<Desk['overloaded']>, number | string>(true)).toBe(true);
  });

  it('have the value of a promise, and the list of values of a generator, stream or Observable', () => {
    expect(same<MethodOutput<Desk['plain']>, string>(true)).toBe(true);
    expect(same<MethodOutput<Desk['later']>, Ticket>(true)).toBe(true);
    expect(same<MethodOutput<Desk['generated']>, number[]>(true)).toBe(true);
    expect(same<MethodOutput<Desk['streamed']>, Ticket[]>(true)).toBe(true);
    expect(same<MethodOutput<Desk['laterStreamed']>, string[]>(true)).toBe(true);
    expect(same<MethodOutput<Desk['observed']>, Ticket[]>(true)).toBe(true);
    expect(same<MethodOutput<Desk['listed']>, Ticket[]>(true)).toBe(true);
    expect(same<MethodOutput<Desk['mapped']>, Map<string, number>>(true)).toBe(true);
    expect(same<MethodOutput<Desk['generic']>, Ticket>(true)).toBe(true);
    expect(same<MethodOutput<Desk['whatever']>, unknown>(true)).toBe(true);
  });

  it('include the items of the result', () => {
    expect(typed).toBeInstanceOf(Function);
    type Items = Awaited<ReturnType<typeof typed>>['items'];
    expect(same<Items, ReplayItem<[ticket: Ticket, tone?: string | undefined], string>[]>(true)).toBe(true);
  });
});
