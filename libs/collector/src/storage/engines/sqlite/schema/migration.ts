/** A numbered change of the schema. A released migration never changes. */
export interface Migration {
  id: number;
  name: string;
  statements: readonly string[];
}
