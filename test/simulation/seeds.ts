/** Worlds in which something once went wrong, and what it was. */
export const namedSeeds: Readonly<Record<string, number>> = {
  'a conductor that was back was taken over for a loss that lay behind': 6,
  'on a quiet ledger, reactions of long ago were repeated after a crash': 30,
  'one command in two processes at once: the second was answered with what it had not recorded': 67,
  'a subnet that changed also changed what was recorded of its beginning': 12,
  'a server gave up its node while that was being deployed, and nobody gave it back': 226,
  'a port was looked at again before the agent that it waited for was known to be gone': 425,
  'a process manager looked at a network before its newest event had been answered': 24,
  'a port bound without an agent waited for one that was deleted': 694,
  'a tear-down without any conductor was begun again, and again': 513,
  'a tear-down that had failed was seen from its own beginning, and begun again': 954,
  'an operator took a node out of service that was claimed, and it was never let go': 896,
  'an append that rests on an event that was lost': 204,
  'a command sent to two processes was answered by the one that had decided it on an event that was lost': 1124,
  'a port that nobody owned any more waited for DHCP after that was taken away': 971,
  'an append at a revision that somebody else has taken': 10,
};
