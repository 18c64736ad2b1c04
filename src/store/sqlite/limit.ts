/**
 * A limit that is bound when the statement is run. For a plain `LIMIT ?` SQLite plans by the value, and so prepares the
 * statement anew each time: a tenth of what it takes to read a resource back.
 */
export const boundLimit = 'LIMIT +?';
