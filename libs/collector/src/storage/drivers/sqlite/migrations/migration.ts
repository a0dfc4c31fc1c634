/** A numbered change of the schema. Never edited after a release: a change is a further migration. */
export interface Migration {
  id: number;
  name: string;
  statements: string[];
}
