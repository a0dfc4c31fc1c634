export const wrapWith = () => ({ wrap: (client) => client, finish: async () => undefined });
