/** The arguments of a function; of an overloaded one, those of any of its first four signatures. */
export type FunctionArguments<F> = AsList<IsLoose<F> extends true ? LastArguments<F> : Signatures<F>[0]>;

/**
 * The output of a function in a replay: a promise's value, or the list of items of a stream, a generator or an Observable.
 */
export type FunctionOutput<F> = Drained<Awaited<IsLoose<F> extends true ? LastResult<F> : Signatures<F>[1]>>;

/** Whether its signatures accept and return anything. */
type IsLoose<F> = [Signatures<F>] extends [never] ? true : unknown[] extends Signatures<F>[0] ? true : false;

type AsList<A> = A extends unknown[] ? A : unknown[];
type LastArguments<F> = F extends (...args: infer A) => unknown ? A : unknown[];
type LastResult<F> = F extends (...args: never[]) => infer R ? R : unknown;

type Signatures<F> = F extends {
  (...args: infer A1): infer R1;
  (...args: infer A2): infer R2;
  (...args: infer A3): infer R3;
  (...args: infer A4): infer R4;
}
  ? Signature<A1, R1> | Signature<A2, R2> | Signature<A3, R3> | Signature<A4, R4>
  : [unknown[], unknown];

/** For a function with fewer signatures, TypeScript adds signatures with `unknown` arguments and results. */
type Signature<A, R> = unknown extends R ? (unknown[] extends A ? never : [A, R]) : [A, R];

/** An Observable by its shape, of any copy of rxjs. */
interface ObservableLike<I> {
  subscribe(next: (value: I) => void): { unsubscribe(): void };
  pipe(): unknown;
}

type Drained<V> = 0 extends 1 & V
  ? unknown
  : V extends string | readonly unknown[]
    ? V
    : V extends AsyncIterable<infer I>
      ? I[]
      : V extends Generator<infer I, unknown, never>
        ? I[]
        : V extends ObservableLike<infer I>
          ? I[]
          : V;
