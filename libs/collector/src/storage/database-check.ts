/** What was found out about a database server of an engine. */
export interface DatabaseCheck {
  /** Such as `PostgreSQL version`. */
  readonly name: string;
  readonly isOk: boolean;
  /** What was found, and what to do if it is not well. */
  readonly detail: string;
}

export function passes(name: string, detail: string): DatabaseCheck {
  return { name, isOk: true, detail };
}

export function fails(name: string, detail: string): DatabaseCheck {
  return { name, isOk: false, detail };
}
