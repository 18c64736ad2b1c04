import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export const consoleFolder = `${root}dist/console`;

/** The console as `npm run build` leaves it; built here where nobody has run that yet. */
export function buildConsole(): void {
  if (existsSync(`${consoleFolder}/index.html`)) return;
  execFileSync(`${root}node_modules/.bin/vite`, ['build', 'console', '--logLevel', 'warn'], { cwd: root });
}
