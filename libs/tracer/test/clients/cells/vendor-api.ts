/** One API of a vendor's client, asked in each of the ways that it has. `model` tells the server how to answer. */
export interface VendorApi {
  plain(model: string, question?: string): Promise<unknown>;
  /** Asks, and can be taken back. */
  aborting(model: string, signal: AbortSignal): Promise<unknown>;
  stream(model: string, question?: string, signal?: AbortSignal): Promise<AsyncIterable<unknown>>;
  helper(model: string): Promise<unknown>;
  /** Has the tool `weather` called, by whatever the client has for that. */
  tools(model: string): Promise<unknown>;
  /** Asks for JSON of a schema, and gives what was parsed. */
  structured(model: string): Promise<unknown>;
}

export const QUESTION = 'Weather?';

/** What the tool gives: the model server answers with the result of a tool. */
export const describeWeather = ({ city }: { city: string }): string => `${city}: mild`;

export const CITY_SCHEMA = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
};

export const MILD_SCHEMA = {
  type: 'object' as const,
  properties: { mild: { type: 'boolean' as const } },
  required: ['mild'],
  additionalProperties: false,
};
