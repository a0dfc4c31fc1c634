/** The part of Standard Schema (standardschema.dev) that is used; zod 3.24 and newer, valibot and arktype have it. */
export interface StandardSchema {
  readonly '~standard': {
    validate(value: unknown): SchemaResult | Promise<SchemaResult>;
  };
}

type SchemaResult =
  { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value;
}

/** `path: message` of the first issues. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  return issues
    .slice(0, 3)
    .map(({ message, path = [] }) => {
      const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
      return place === '' ? message : `${place}: ${message}`;
    })
    .join('; ');
}
