/** An SQLite error as it travels between threads. */
export interface SqliteFault {
  readonly code: string;
  readonly message: string;
}

/** What SQLite's result codes mean to the person who has to do something about them; the longest prefix counts. */
const meanings: readonly (readonly [code: string, reason: string])[] = [
  ['SQLITE_FULL', 'there is no space left for it'],
  ['SQLITE_IOERR', 'the disk reports an error'],
  ['SQLITE_READONLY', 'its file or folder is read-only'],
  ['SQLITE_BUSY', 'another program holds a lock on its file'],
  ['SQLITE_CORRUPT', 'its file is damaged; restore it from a backup'],
  ['SQLITE_NOTADB', 'the file is not an SQLite database'],
  ['SQLITE_CANTOPEN', 'its file cannot be opened; look at the permissions of the file and its folder'],
  ['SQLITE_AUTH', 'its file cannot be opened; look at the permissions of the file and its folder'],
  ['SQLITE_PERM', 'its file cannot be opened; look at the permissions of the file and its folder'],
];

export const faultIn = (error: unknown): SqliteFault => ({
  code: error instanceof Error && 'code' in error ? String(error.code) : 'none',
  message: error instanceof Error ? error.message : String(error),
});

export function reasonOf({ code, message }: SqliteFault): string {
  const meaning = meanings.find(([prefix]) => code.startsWith(prefix));
  return meaning ? `${meaning[1]} (${code}: ${message})` : message;
}
