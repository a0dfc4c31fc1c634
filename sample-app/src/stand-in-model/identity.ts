/** Model name in every response of the stand-in. */
export const STAND_IN_MODEL = 'stand-in';

/** Default port. */
export const STAND_IN_PORT = 4101;
