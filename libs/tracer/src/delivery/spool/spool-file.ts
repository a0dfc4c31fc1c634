/** A batch's file. Its name is the batch id and `SPOOL_SUFFIX`. */
export interface SpoolFile {
  readonly path: string;
  /** Size on disk. */
  bytes: number;
  /** Bytes of the batch's content that it holds. */
  savedLength: number;
  /** Open while more may be written. */
  descriptor: number | undefined;
}

/** The 1 is the version of the format in `spool-format.ts`. */
export const SPOOL_SUFFIX = '.1.spool';

const NAME = /^([\w.-]{16,120})\.1\.spool$/;

/** The batch id in a file's name; `undefined` when it is no spool file of this version. */
export function batchIdOf(fileName: string): string | undefined {
  return NAME.exec(fileName)?.[1];
}
