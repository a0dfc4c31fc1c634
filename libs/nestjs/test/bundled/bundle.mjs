/** Prints an application as one CommonJS file with minified names. Packages stay imports. `node bundle.mjs <entry>` */
import { isAbsolute } from 'node:path';
import { rolldown } from 'rolldown';

const build = await rolldown({
  input: process.argv[2],
  platform: 'node',
  // Bundles the helper functions of compiled decorators.
  external: (id) => !id.startsWith('.') && !isAbsolute(id) && !id.startsWith('@oxc-project/'),
  transform: { decorator: { legacy: true, emitDecoratorMetadata: true } },
});
const { output } = await build.generate({ format: 'cjs', minify: true });
await build.close();
process.stdout.write(output[0].code);
