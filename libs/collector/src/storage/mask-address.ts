/** The address of a database without its password, for messages. */
export function maskAddress(address: string): string {
  return address.replace(/(\/\/[^:/?#]*:).*(@)/s, '$1***$2').replace(/([?&]password=)[^&"]*/gi, '$1***');
}
