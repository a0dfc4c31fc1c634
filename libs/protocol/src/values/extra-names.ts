const INDEX = /^(?:0|[1-9]\d*)$/;

/** Whether an object with `items` items or characters has further enumerable properties. */
export function hasExtraNames(value: object, items: number): boolean {
  return Object.keys(value).some((key) => !INDEX.test(key) || Number(key) >= items);
}
