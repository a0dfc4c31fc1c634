/** The name that every answer of the stand-in carries as its model. */
export const STAND_IN_MODEL = 'stand-in';

/** Where it listens unless told otherwise. */
export const STAND_IN_PORT = 4101;
