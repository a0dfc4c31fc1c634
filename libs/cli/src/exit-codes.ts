/** What the process ends with. `dacapo --help` lists them. */
export const EXIT_CODES = {
  success: 0,
  /** The work could not be done: the service refused, files could not be read, a check of `doctor` failed. */
  failure: 1,
  /** The command line or the environment is wrong; nothing was done. */
  usage: 2,
  /** No service answered at the address. */
  unreachable: 3,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
