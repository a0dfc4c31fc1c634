/** An object of a class that has no codec. What stands for it is its data. */
export interface RecordedInstance {
  readonly class: string;
  /** Where it stood: a JSON Pointer into the recorded value. */
  readonly pointer: string;
  /** Its class had methods or accessors. */
  readonly hasMethods: boolean;
}
