/**
 * How one class of yours is recorded and made again.
 *
 * Codecs are asked in order, before the built-in types, for every object that is neither plain nor an array.
 * What throws in a codec counts as not recognised; the class is then recorded by its own data.
 */
export interface Codec<T extends object = object> {
  /** Stands in the record; a replaying process needs a codec of the same name. */
  readonly name: string;
  /** Whether `value` is one of these. Runs for every object that is neither plain nor an array: keep it cheap. */
  recognise(value: object): boolean;
  /** The data that stands in the record. May hold anything that capture keeps: dates, maps, other classes. */
  encode(value: T): unknown;
  /** Makes the object again from what `encode` gave. */
  decode(encoded: unknown): T;
}
