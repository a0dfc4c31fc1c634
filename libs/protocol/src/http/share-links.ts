/** Default and maximum lifetime of a share link, in seconds. */
export const DEFAULT_SHARE_LIFE_S = 7 * 24 * 3600;
export const LONGEST_SHARE_LIFE_S = 90 * 24 * 3600;

/** Where pages of share links are. The rest of the path is the secret. */
export const SHARED_PAGES = '/shared/';
