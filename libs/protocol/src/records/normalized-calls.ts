/** Calls inside a replayed call that were found in its recording by arguments that are equal but for the parts that may differ. */
export interface NormalizedCalls {
  /** The trace function key of the calls. */
  key: string;
  calls: number;
  /** Of these calls, those that several recorded calls with different arguments would answer: they are answered in recorded order. */
  ambiguous: number;
}
