declare const nothingDeclared: unique symbol;

/**
 * Inputs and outputs of native functions by name. The file that `dacapo functions types` writes extends this interface, so that
 * `tracer.call` is typed by the function's name.
 */
export interface NativeFunctionTypes {
  readonly [nothingDeclared]?: never;
}

export type NativeFunctionName = Extract<keyof NativeFunctionTypes, string>;
export type NativeFunctionInput<N extends NativeFunctionName> = MemberType<NativeFunctionTypes[N], 'input'>;
export type NativeFunctionOutput<N extends NativeFunctionName> = MemberType<NativeFunctionTypes[N], 'output'>;

/** A name without a declaration. Declared functions require their declared input. */
export type UndeclaredName<N extends string> = N extends NativeFunctionName ? never : N;

type MemberType<T, K extends string> = T extends Record<K, infer Member> ? Member : never;
