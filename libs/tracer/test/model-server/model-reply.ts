/** What the stand-in model server answers. Left out: the text `Hello.`, at once, with status 200. */
export interface ModelReply {
  text?: string;
  toolCalls?: { name: string; arguments: object }[];
  status?: number;
  headers?: Record<string, string>;
  /** A body that is no JSON. */
  malformed?: boolean;
  delayMs?: number;
  /** Never answers. */
  hang?: boolean;
}

/** Every answer says that it used these. */
export const USED = { input: 12, output: 9, cached: 4 };
