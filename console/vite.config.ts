import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm run build` puts the console where the server finds it; `npx vite console` serves it beside a running ledger. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:8642', '/docs': 'http://127.0.0.1:8642' } },
});
