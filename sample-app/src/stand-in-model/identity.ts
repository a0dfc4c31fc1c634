/** The name that every answer of the stand-in carries as its model. */
export const STAND_IN_MODEL = 'stand-in';

/** Default address. */
export const STAND_IN_PORT = 4101;
