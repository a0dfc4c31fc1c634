/** A numbered change of the schema. A released migration never changes: another change is a further migration. */
export interface Migration {
  id: number;
  name: string;
  statements: readonly string[];
}
