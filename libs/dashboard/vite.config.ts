import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const COLLECTOR = 'http://127.0.0.1:4100';

/** The collector serves these files: same origin, no inline script or style, nothing from elsewhere. */
export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [react()],
  resolve: {
    alias: {
      '@dacapo/protocol': here('../protocol/src/index.ts'),
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
  // `npx vite` shows these pages over a collector that runs beside it; sign in with an API key.
  server: { proxy: { '/api': { target: COLLECTOR, headers: { origin: COLLECTOR } } } },
});
