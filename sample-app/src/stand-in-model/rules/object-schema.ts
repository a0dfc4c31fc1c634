/** The subset of JSON Schema that the rules can fill. */
export interface ObjectSchema {
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
}

export interface PropertySchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
}
