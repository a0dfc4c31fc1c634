import { transformSync } from '@swc/core';

/** Compiles TypeScript with Nest's decorators to an ES module. */
export function compileModule(typescript: string): string {
  return transformSync(typescript, {
    swcrc: false,
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      target: 'es2022',
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
    module: { type: 'es6' },
  }).code;
}
