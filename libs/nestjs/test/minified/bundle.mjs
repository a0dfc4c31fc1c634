/** `node bundle.mjs <file>`: puts the application and all that it imports into one minified file. */
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Nest's optional packages. */
const OPTIONAL = [/^@nestjs\/(websockets|microservices|platform-)/, /^class-(transformer|validator)/];

const bundle = await rolldown({
  input: fileURLToPath(new URL('application.ts', import.meta.url)),
  cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
  platform: 'node',
  external: OPTIONAL,
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
});
await bundle.write({ file: process.argv[2], format: 'esm', minify: true, codeSplitting: false });
