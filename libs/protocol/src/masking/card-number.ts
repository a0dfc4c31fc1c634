/**
 * Prefixes and lengths of the issuers (ISO/IEC 7812): American Express; Diners Club; JCB; Visa; Mastercard; Discover;
 * UnionPay. The 13 digits that Visa no longer issues are excluded: article and telephone numbers have as many.
 */
const CARD =
  /^(?:3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|4\d{15}(?:\d{3})?|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|6(?:011|4[4-9]\d|5\d\d)\d{12}(?:\d{3})?|62\d{14}(?:\d{3})?)$/;

/** Whether digits are a payment card number: by issuer prefix, length and check digit. */
export function isCardNumber(digits: string): boolean {
  return CARD.test(digits) && isLuhnValid(digits);
}

/** Whether the last digit is the check digit of the others (ISO/IEC 7812, Luhn). */
export function isLuhnValid(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
