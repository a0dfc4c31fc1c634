/** What the process ends with. `dacapo --help` lists them. */
export const EXIT_CODES = {
  success: 0,
  /** The work could not be done: the service refused, files could not be read, a check of `doctor` failed. */
  failure: 1,
  /** The command line or the environment is wrong; nothing was done. */
  usage: 2,
  /** No service answered at the address. */
  unreachable: 3,
  /** The selection of a replay, or of `datasets add --from-key`, holds no call. */
  nothingToReplay: 4,
  /** A replay was done, and did not keep what its gate asks for. */
  gateFailed: 5,
  /** A signal ended a replay, which ended tidily: what shells report of a program that a signal ends. */
  SIGINT: 130,
  SIGTERM: 143,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
