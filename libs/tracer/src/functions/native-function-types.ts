declare const nothingDeclared: unique symbol;

/**
 * Inputs and outputs of native functions by name: the file that `dacapo functions types` writes adds them here, and
 * `tracer.call` is then typed by the name alone.
 */
export interface NativeFunctionTypes {
  readonly [nothingDeclared]?: never;
}

export type NativeFunctionName = Extract<keyof NativeFunctionTypes, string>;
export type NativeFunctionInput<N extends NativeFunctionName> = MemberType<NativeFunctionTypes[N], 'input'>;
export type NativeFunctionOutput<N extends NativeFunctionName> = MemberType<NativeFunctionTypes[N], 'output'>;

/** Any other name: one that is declared must be given its declared input. */
export type UndeclaredName<N extends string> = N extends NativeFunctionName ? never : N;

type MemberType<T, K extends string> = T extends Record<K, infer Member> ? Member : never;
