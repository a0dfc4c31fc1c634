/** As in package.json; a test keeps the two in step. */
export const VERSION = '0.1.0';
