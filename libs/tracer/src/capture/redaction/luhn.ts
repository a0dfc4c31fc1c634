const CARD_PREFIX = /^(?:4|5[1-5]|2[2-7]|3[47]|6(?:011|4[4-9]|5)|35|30[0-5]|3[68])/;

/** Whether digits are a payment card's: its issuer's prefix, its length, its check digit. */
export function isCardNumber(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19 || !CARD_PREFIX.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
