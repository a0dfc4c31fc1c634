/** Pushes a version of a native function. If source and entry equal the newest version's, no version is created. */
export interface PushFunctionRequest {
  source: string;
  /** The function in the source that a call runs. Default: the native function's name. */
  entry?: string;
  note?: string;
  /** Whether calls run this version from now on. Default: true. */
  activate?: boolean;
}

export interface ActivateFunctionRequest {
  version: number;
}
