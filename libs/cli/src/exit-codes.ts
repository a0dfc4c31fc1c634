/** Exit codes of the process. `dacapo --help` lists them. */
export const EXIT_CODES = {
  success: 0,
  /** The command failed: the service refused, files could not be read, a check of `doctor` failed. */
  failure: 1,
  /** The command line or the environment is wrong; nothing was done. */
  usage: 2,
  /** No service answered at the address. */
  unreachable: 3,
  /** The selection of a replay, or of `datasets add --from-key`, holds no call. */
  nothingToReplay: 4,
  /** A finished run failed its gate. */
  gateFailed: 5,
  /** A signal ended the command. 128 + the signal's number, as shells report it. */
  SIGINT: 130,
  SIGTERM: 143,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
