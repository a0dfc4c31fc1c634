import { fileURLToPath } from 'node:url';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const COLLECTOR = 'http://127.0.0.1:4100';

/** Writes compressed copies of each file. The collector serves them to clients that accept them. */
function compressedForms(): Plugin {
  return {
    name: 'compressed-forms',
    apply: 'build',
    writeBundle({ dir = '.' }) {
      for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        const content = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(content));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

/** The collector serves these files from one origin, without inline scripts or styles. */
export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [react(), compressedForms()],
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
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // `npx vite` uses a running collector. Sign in with an API key.
  server: { proxy: { '/api': { target: COLLECTOR, headers: { origin: COLLECTOR } } } },
});
