import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The collector serves these files: same origin, no inline script or style, nothing from elsewhere. */
export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [react()],
  resolve: { alias: { '@dacapo/protocol': here('../protocol/src/index.ts') } },
  build: {
    outDir: here('../collector/dist/dashboard'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // `vite dev` shows the pages of a collector that runs beside it.
  server: { proxy: { '/api': 'http://127.0.0.1:4100' } },
});
