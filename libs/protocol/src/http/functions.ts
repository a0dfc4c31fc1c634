/** A new version of a native function. The same source and entry as the newest version's make no new one. */
export interface PushFunctionRequest {
  source: string;
  /** A function of the source; the native function's own name when absent. */
  entry?: string;
  note?: string;
  /** Whether calls run it from now on; true when absent. */
  activate?: boolean;
}

export interface ActivateFunctionRequest {
  version: number;
}
