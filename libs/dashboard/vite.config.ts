import { fileURLToPath } from 'node:url';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { API, type Route } from '../protocol/src/api.js';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const COLLECTOR = 'http://127.0.0.1:4100';

/** What the first page loads and other pages share: few chunks compress better than many. Libraries seldom change between versions. */
const FIRST_LOAD = [
  {
    name: 'libraries',
    test: /node_modules\/(?:@tanstack|react|react-dom|regexparam|scheduler|use-sync-external-store|wouter)\/|preload-helper/,
  },
  {
    name: 'shared',
    test: /libs\/(?:client\/src|protocol\/src\/api|dashboard\/src\/shared\/(?:format|http|navigation))[./]/,
  },
];

/** Writes compressed copies of each file. The collector serves them to clients that accept them. */
function compressedForms(): Plugin {
  return {
    name: 'compressed-forms',
    apply: 'build',
    writeBundle({ dir = '.' }) {
      for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        // Fonts are compressed already.
        if (!entry.isFile() || entry.name.endsWith('.woff2')) continue;
        const path = join(entry.parentPath, entry.name);
        const content = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(content));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

/**
 * Replaces the route table by what `@dacapo/client` reads of it to send a request: the schemas, a third of the first load, check
 * what other clients receive.
 */
function routesWithoutSchemas(): Plugin {
  const table = here('../protocol/src/api.ts');
  const routes = Object.entries(API).map(([resource, named]) => [
    resource,
    Object.fromEntries(
      Object.entries<Route>(named).map(([name, { method, path, query, body }]) => [
        name,
        { method, path, ...(query && { query: {} }), ...(body && { body: {} }) },
      ]),
    ),
  ]);
  return {
    name: 'routes-without-schemas',
    load: (id) =>
      id === table
        ? `export { routePath } from './api/route.js';\nexport { encodeQuery } from './api/schema/query.js';\nexport const API = ${JSON.stringify(Object.fromEntries(routes))};`
        : undefined,
  };
}

/** The collector serves these files from one origin, without inline scripts or styles. */
export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [react(), routesWithoutSchemas(), compressedForms()],
  resolve: {
    alias: {
      '@dacapo/protocol/api': here('../protocol/src/api.ts'),
      '@dacapo/protocol': here('../protocol/src/index.ts'),
      '@dacapo/client': here('../client/src/index.ts'),
      '@dacapo/evaluation': here('../evaluation/src/index.ts'),
    },
  },
  build: {
    outDir: here('../collector/dist/dashboard'),
    emptyOutDir: true,
    target: 'es2022',
    // The first versions with `light-dark()`.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: FIRST_LOAD } } },
  },
  // `npx vite` uses a running collector. Sign in with an API key.
  server: { proxy: { '/api': { target: COLLECTOR, headers: { origin: COLLECTOR } } } },
});
