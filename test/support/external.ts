import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';

/** A program of another project that a suite drives, and the Debian package it comes from. */
export interface External {
  readonly program: string;
  readonly debianPackage: string;
}

export const chromium: External = { program: 'chromium', debianPackage: 'chromium' };
export const openstackClient: External = { program: 'openstack', debianPackage: 'python3-openstackclient' };
export const rabbitmq: External = { program: 'rabbitmq-server', debianPackage: 'rabbitmq-server' };

/**
 * `describe` for a suite that needs another project's program. Without it the suite is skipped and its name says what to
 * install; in CI it fails instead, so that nothing is skipped unseen.
 */
export const describeWith = ({ program, debianPackage }: External, story: string, suite: () => void): void => {
  if (pathOf(program) !== null || process.env.CI === 'true') describe(story, suite);
  else describe.skip(`${story} (apt-get install ${debianPackage})`, suite);
};

/** Where a program is, by `PATH`; null where it is not. */
export function pathOf(program: string): string | null {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder: the next one may have it.
    }
  }
  return null;
}
