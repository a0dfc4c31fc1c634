import { TracerError } from '../errors.js';

/** The service has no native function with this name, or not this version. */
export class FunctionNotFoundError extends TracerError {
  readonly code = 'TRACER_FUNCTION_NOT_FOUND';

  constructor(
    readonly functionName: string,
    readonly version: number | undefined,
  ) {
    const which = version === undefined ? functionName : `${functionName} version ${version}`;
    super(
      `The service has no function ${which} for this account. List them with: dacapo functions list. Add one with: dacapo functions push`,
    );
  }
}

/** The service did not report the active version of a function. The call ran the last known version. */
export class FunctionVersionUncheckedError extends TracerError {
  readonly code = 'TRACER_FUNCTION_VERSION_UNCHECKED';

  /** @param cause the service's error, whose message ends with the cure */
  constructor(
    readonly functionName: string,
    readonly version: number,
    cause: TracerError,
  ) {
    super(
      `The active version of ${functionName} could not be fetched, so calls run version ${version}, the last known one. ${cause.message}`,
      { cause },
    );
  }
}

/** A parameter of the input is missing, or does not have the type that the function declares. */
export class FunctionInputError extends TracerError {
  readonly code = 'TRACER_FUNCTION_INPUT';

  constructor(
    readonly functionName: string,
    readonly parameter: string,
    problem: string,
    cause?: unknown,
  ) {
    super(
      `Parameter ${parameter} of ${functionName} ${problem}. See its parameters with: dacapo functions types ${functionName}`,
      { cause },
    );
  }
}

/** The function's model client needs a variable that `envVars` lacks. */
export class FunctionEnvVarMissingError extends TracerError {
  readonly code = 'TRACER_FUNCTION_ENV_VAR_MISSING';

  constructor(
    readonly functionName: string,
    readonly envVar: string,
    cause?: unknown,
  ) {
    super(
      `${functionName} needs ${envVar}, which is not among envVars. Pass new Tracer({ envVars: { ${envVar}: '…' } }); process.env is not read.`,
      { cause },
    );
  }
}

/** The model's provider answered with an error, or could not be reached. */
export class FunctionProviderError extends TracerError {
  readonly code = 'TRACER_FUNCTION_PROVIDER';

  constructor(
    readonly functionName: string,
    /** The provider's HTTP status. Without an answer, the runtime sets its own value. */
    readonly status: number | undefined,
    detail: string,
    cause?: unknown,
  ) {
    super(
      `The model provider of ${functionName} failed${status === undefined ? '' : ` with ${status}`}: ${detail}. ${CURES[status ?? 0] ?? 'Try again later, or pass another client.'}`,
      { cause },
    );
  }
}

/** The model's answer does not match the function's return type. */
export class FunctionOutputError extends TracerError {
  readonly code = 'TRACER_FUNCTION_OUTPUT';

  constructor(
    readonly functionName: string,
    /** The model's answer. */
    readonly rawOutput: string | undefined,
    cause?: unknown,
  ) {
    super(
      `The model's answer to ${functionName} does not fit its output type. Describe the format in the prompt, or push a version with a wider type.`,
      { cause },
    );
  }
}

/** The source of the function does not compile. */
export class FunctionSourceError extends TracerError {
  readonly code = 'TRACER_FUNCTION_SOURCE';

  constructor(
    readonly functionName: string,
    readonly version: number,
    detail: string,
    cause?: unknown,
  ) {
    super(
      `Version ${version} of ${functionName} does not compile: ${detail}\nPush a corrected version, or go back with: dacapo functions activate ${functionName} <version>`,
      { cause },
    );
  }
}

/** The runtime that native functions need is not installed, or lacks its native part. */
export class FunctionRuntimeMissingError extends TracerError {
  readonly code = 'TRACER_FUNCTION_RUNTIME_MISSING';

  constructor(readonly functionName: string) {
    super(
      `${functionName} needs the package @boundaryml/baml, with its optional dependencies. Run: npm install @boundaryml/baml@0.223.0`,
    );
  }
}

/** The runtime failed for another reason. */
export class FunctionFailedError extends TracerError {
  readonly code = 'TRACER_FUNCTION_FAILED';

  constructor(
    readonly functionName: string,
    detail: string,
    cause?: unknown,
  ) {
    super(
      `${functionName} failed: ${detail}. See the cause; dacapo functions pull ${functionName} shows the source.`,
      { cause },
    );
  }
}

const CURES: Record<number, string> = {
  401: 'Check the provider key in envVars.',
  403: 'Check the provider key in envVars, and that it may use this model.',
  404: 'Check the model name and base_url in the source of the function.',
  429: 'The provider limits requests of this key. Try again later, or declare a retry_policy in the source.',
};
