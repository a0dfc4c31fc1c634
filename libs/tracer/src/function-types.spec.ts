import type { Observable } from 'rxjs';
import { same } from '../../../test/support/same-type.js';
import type { FunctionArguments, FunctionOutput } from './function-types.js';
import { createTestTracer } from './testing.js';

interface Ticket {
  text: string;
}

class Desk {
  answer(ticket: Ticket, tone?: string): Promise<string> {
    return Promise.resolve(`${ticket.text} ${tone ?? ''}`);
  }
}

type Overloaded = ((id: number) => string) & ((name: string, exact: boolean) => number);
type Generic = <T extends Ticket>(ticket: T) => T;

describe('the type of a replay of a function', () => {
  it('is its arguments', () => {
    expect(same<FunctionArguments<Desk['answer']>, [ticket: Ticket, tone?: string | undefined]>(true)).toBe(
      true,
    );
    expect(same<FunctionArguments<() => void>, []>(true)).toBe(true);
    expect(same<FunctionArguments<(...all: Ticket[]) => void>, Ticket[]>(true)).toBe(true);
    expect(same<FunctionArguments<Generic>, [ticket: Ticket]>(true)).toBe(true);
    type Overloads = [id: number] | [name: string, exact: boolean];
    expect(same<FunctionArguments<Overloaded>, Overloads>(true)).toBe(true);
    expect(same<FunctionArguments<(...all: never[]) => unknown>, never[]>(true)).toBe(true);
    expect(same<FunctionArguments<(...all: unknown[]) => unknown>, unknown[]>(true)).toBe(true);
  });

  it('is its result: the value of a promise, the list of a stream', () => {
    expect(same<FunctionOutput<Desk['answer']>, string>(true)).toBe(true);
    expect(same<FunctionOutput<() => Generator<number, string>>, number[]>(true)).toBe(true);
    expect(same<FunctionOutput<() => AsyncGenerator<Ticket>>, Ticket[]>(true)).toBe(true);
    expect(same<FunctionOutput<() => Promise<AsyncIterable<string>>>, string[]>(true)).toBe(true);
    expect(same<FunctionOutput<() => Observable<Ticket>>, Ticket[]>(true)).toBe(true);
    expect(same<FunctionOutput<() => Set<number>>, Set<number>>(true)).toBe(true);
    expect(same<FunctionOutput<() => string[]>, string[]>(true)).toBe(true);
    expect(same<FunctionOutput<Overloaded>, number | string>(true)).toBe(true);
    expect(same<FunctionOutput<() => undefined>, undefined>(true)).toBe(true);
  });

  it('types items, callbacks and the result of adaptArgs; the loop in the README compiles', () => {
    const { tracer } = createTestTracer();
    const desk = new Desk();
    // Compiled, and not called.
    const use = async (): Promise<void> => {
      const { items } = await tracer.replay(
        'desk',
        (ticket: Ticket, tone: string) => desk.answer(ticket, tone),
        {
          limit: 5,
          onItem: ({ input, result }) => {
            same<typeof input, [ticket: Ticket, tone: string]>(true);
            console.log(input, result?.length);
          },
          same: (now, before) => now.trim() === before.trim(),
          adaptArgs: ([ticket], { sessionId = 'none' }) => [ticket as Ticket, sessionId],
        },
      );
      for (const { input, originalOutput, result, error } of items)
        console.log(...input, originalOutput?.length, error ?? result?.length);
      const replay = (ticket: Ticket, tone: string): string => ticket.text + tone;
      // @ts-expect-error: a number is no tone
      await tracer.replay('desk', replay, { adaptArgs: () => [{ text: '' }, 5] });
      // @ts-expect-error: there is no such option
      await tracer.replay('desk', (ticket: Ticket) => ticket.text, { mocks: 'all' });
      const options = { mock: 'all', onMockMiss: 'fail' } as const;
      await tracer.replay(
        'desk',
        tracer.withSpan('desk', (n: number) => n),
        options,
      );
    };
    expect(use).toBeInstanceOf(Function);
  });

  it('types the parameters of captureInput, captureOutput and mockOnReplay', () => {
    const { tracer, spans } = createTestTracer();
    const mail = tracer.withSpan(
      'mail',
      {
        captureInput: ([to]) => to.toUpperCase(),
        captureOutput: (id) => id.toFixed(1),
        mockOnReplay: (to) => to.length,
      },
      (to: string, text: string) => to.length + text.length,
    );
    expect(mail('ann', 'hello')).toBe(8);
    expect(spans[0]!.span_data).toMatchObject({ input: ['ANN'], output: '8.0' });
    // @ts-expect-error: the function takes a string
    tracer.withSpan('mail', { captureInput: ([to]) => to.toFixed() }, (to: string) => to);
  });
});
