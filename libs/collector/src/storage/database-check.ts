/** The result of one check of a database server. */
export interface DatabaseCheck {
  /** Such as `PostgreSQL version`. */
  readonly name: string;
  readonly isOk: boolean;
  /** The finding, and what to do if it is a problem. */
  readonly detail: string;
}

export function passes(name: string, detail: string): DatabaseCheck {
  return { name, isOk: true, detail };
}

export function fails(name: string, detail: string): DatabaseCheck {
  return { name, isOk: false, detail };
}
