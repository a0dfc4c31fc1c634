/** Loads a module as the application's own `import` would. */
export declare function importModule(url: string): Promise<Record<string, unknown>>;
