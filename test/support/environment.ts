/** The environment for programs that tests start: without settings of the ledger, and without the suites' own variables. */
export const plainEnvironment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('STACKLEDGER_')),
);
