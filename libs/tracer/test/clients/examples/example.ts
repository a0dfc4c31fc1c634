/** What an example of a vendor does: it makes its client, and prints what it gets. */
export type Example<C> = (newClient: (options?: object) => C, print: Print) => Promise<void>;

export type Print = (...values: unknown[]) => void;

export const CITY = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
};

export const weather = ({ city }: { city: string }): string => `${city}: mild`;
