/** Inner calls of a replay that matched recorded calls only after the parts that may differ were ignored. */
export interface NormalizedCalls {
  /** The trace function key of the calls. */
  key: string;
  calls: number;
  /** How many of them match several recorded calls with different arguments. They are answered in recorded order. */
  ambiguous: number;
}
