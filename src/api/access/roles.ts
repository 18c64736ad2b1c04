/** Each role may do all that those before it may. */
export const roles = ['reader', 'agent', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

export const includes = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);

/** The role of those who have several: the one that may do most. */
export const highest = (several: readonly Role[]): Role =>
  several.reduce((most, role) => (includes(role, most) ? role : most), 'reader');

/** What is not listed is an operator's command. */
const byDefault: Role = 'operator';

/** Who may give a command, where that is not an operator. */
const commandRoles: Readonly<Record<string, Role>> = {
  // Reports: what agents, computes and conductors say of the part that is theirs.
  ProvisioningComplete: 'agent',
  RequestDeviceDetails: 'agent',
  ReportDeviceUp: 'agent',
  ReportDeviceDown: 'agent',
  ReportDhcpReady: 'agent',
  ReportMigrationEnded: 'agent',
  ServerScheduled: 'agent',
  ReportBuildProgress: 'agent',
  ReportBuildSuccess: 'agent',
  ReportBuildFailure: 'agent',
  ReportActionProgress: 'agent',
  ReportActionSuccess: 'agent',
  ReportActionFailure: 'agent',
  ReportPowerState: 'agent',
  ReportComputeRestart: 'agent',
  ReceiveExternalEvent: 'agent',
  ReportProvisionEvent: 'agent',
  ReserveNode: 'agent',
  ReleaseNode: 'agent',
  TakeOverConductor: 'agent',
  RegisterAgent: 'agent',
  Heartbeat: 'agent',
  ObservePort: 'agent',
  ObserveServer: 'agent',
  ObserveNode: 'agent',

  // Actions that overrule what the resource itself would do next.
  SetPortStatus: 'admin',
  ResetServerState: 'admin',
  BreakReservation: 'admin',
  SetAgentAdminState: 'admin',
  DeleteAgent: 'admin',
};

export const roleForCommand = (type: string): Role => commandRoles[type] ?? byDefault;
