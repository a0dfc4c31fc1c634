/** Each function bundles an application into a folder and returns the file to run. Runs in the folder of the installed bundlers. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @param folder where the bundlers are installed */
export async function loadBundlers(folder) {
  const require = createRequire(join(folder, 'package.json'));
  const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
  const plugin = async (name) => (await load(`@rollup/plugin-${name}`)).default;
  const [esbuild, { rollup }, { default: webpack }] = [
    await load('esbuild'),
    await load('rollup'),
    await load('webpack'),
  ];
  const [nodeResolve, commonjs, json, terser] = [
    await plugin('node-resolve'),
    await plugin('commonjs'),
    await plugin('json'),
    await plugin('terser'),
  ];

  return {
    esbuild: async ({ entry, format, minify, outDir }) => {
      const extension = format === 'esm' ? '.mjs' : '.cjs';
      await esbuild.build({
        entryPoints: { app: entry },
        bundle: true,
        platform: 'node',
        format,
        minify,
        splitting: format === 'esm',
        outdir: outDir,
        outExtension: { '.js': extension },
        logLevel: 'error',
        absWorkingDir: folder,
      });
      return join(outDir, `app${extension}`);
    },

    rollup: async ({ entry, format, minify, outDir }) => {
      const extension = format === 'esm' ? 'mjs' : 'cjs';
      const warnings = [];
      const bundle = await rollup({
        input: { app: entry },
        plugins: [nodeResolve({ preferBuiltins: true }), commonjs(), json(), ...(minify ? [terser()] : [])],
        external: /^node:/,
        onwarn: (warning) => warnings.push(warning),
      });
      await bundle.write({
        dir: outDir,
        format,
        entryFileNames: `[name].${extension}`,
        chunkFileNames: `[name]-[hash].${extension}`,
      });
      await bundle.close();
      return join(outDir, `app.${extension}`);
    },

    webpack: async ({ entry, format, minify, outDir }) => {
      const isEsm = format === 'esm';
      const extension = isEsm ? 'mjs' : 'cjs';
      const stats = await new Promise((resolve, reject) => {
        const options = {
          mode: minify ? 'production' : 'development',
          devtool: false,
          target: 'node20',
          entry: { app: entry },
          context: folder,
          experiments: { outputModule: isEsm },
          output: {
            path: outDir,
            filename: `[name].${extension}`,
            chunkFilename: `[name].${extension}`,
            ...(isEsm ? { module: true, chunkFormat: 'module', library: { type: 'module' } } : {}),
          },
        };
        webpack(options, (error, made) => (error ? reject(error) : resolve(made)));
      });
      if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }));
      return join(outDir, `app.${extension}`);
    },
  };
}
