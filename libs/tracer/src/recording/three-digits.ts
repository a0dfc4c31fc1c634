/** 0 to 999 as three decimal digits each: numbers cost more to write than all the rest of a timestamp. */
export const THREE_DIGITS: readonly string[] = Array.from({ length: 1000 }, (_, number) =>
  String(number).padStart(3, '0'),
);
