import type { OtlpField } from './fields.js';

/** An attribute of a convention and its meaning. */
export interface OtlpAttribute {
  /** The name. A trailing `.*` matches every name with that prefix. */
  readonly name: string;
  readonly field: OtlpField;
  /** For `settings` and `metadata`: the name of the member. Default: the attribute's name, or the part that `*` matches. */
  readonly member?: string;
  /** Whether an exported span has the attribute. */
  readonly isWritten?: true;
}

/** The attributes of a convention, preferred ones first. */
export interface OtlpConvention {
  readonly name: string;
  readonly attributes: readonly OtlpAttribute[];
}

/** Rows for attributes with one meaning. */
export function rows(field: OtlpField, ...names: readonly string[]): OtlpAttribute[] {
  return names.map((name) => ({ name, field }));
}

/** Rows for attributes with one meaning. Exported spans have the first. */
export function written(field: OtlpField, name: string, ...names: readonly string[]): OtlpAttribute[] {
  return [{ name, field, isWritten: true }, ...rows(field, ...names)];
}

/** Rows for members of a context, by attribute name. */
export function settings(members: Readonly<Record<string, string>>): OtlpAttribute[] {
  return Object.entries(members).map(([name, member]) => ({ name, field: 'settings', member }));
}
