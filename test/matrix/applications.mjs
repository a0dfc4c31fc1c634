const MODERN = { module: 'nodenext', moduleResolution: 'nodenext' };

/** Settings of `nest new` up to version 10, which ignore `exports`. */
const CLASSIC = { module: 'commonjs', moduleResolution: 'node10' };

const STOCK_MODERN = {
  ...MODERN,
  resolvePackageJsonExports: true,
  isolatedModules: true,
  target: 'ES2023',
};

/** Settings that `nest new` of each version adds to the common tsconfig.json. */
const STOCK = {
  10: { module: 'commonjs', target: 'ES2021', strictNullChecks: false, noImplicitAny: false },
  11: { ...STOCK_MODERN, strictNullChecks: true, noImplicitAny: false, strictBindCallApply: false },
  12: { ...STOCK_MODERN, strict: true, strictPropertyInitialization: false },
};

/** One application for each tested combination. */
export const APPLICATIONS = [
  ['10', '10.4.22', '10.4.22', '10.4.22', '5.9.3'],
  ['11', '11.2.10', '11.2.8', '11.2.6', '5.9.3'],
  ['12', '12.5.1', '12.5.0', '12.1.1', '6.0.3'],
].flatMap(([major, nest, fastify, testing, typescript]) =>
  ['commonjs', 'module'].map((type) => ({
    name: `Nest ${major}, ${type === 'module' ? 'ES modules' : 'CommonJS'}`,
    folder: `nest-${major}-${type}`,
    stock: type === 'commonjs' || major === '12' ? STOCK[major] : undefined,
    compilerOptions: major === '10' && type === 'commonjs' ? CLASSIC : MODERN,
    manifest: (tarballs) => ({
      name: `nest-${major}-${type}`,
      private: true,
      type,
      dependencies: {
        ...tarballs,
        '@nestjs/common': nest,
        '@nestjs/core': nest,
        '@nestjs/microservices': testing,
        '@nestjs/platform-express': nest,
        '@nestjs/platform-fastify': fastify,
        '@nestjs/testing': testing,
        'reflect-metadata': '0.2.2',
        rxjs: '7.8.2',
        typescript,
        '@types/node': '20.19.43',
        '@types/express': major === '10' ? '4.17.25' : '5.0.6',
      },
    }),
  })),
);

export const tsconfigFor = ({ compilerOptions }) => ({
  compilerOptions: {
    ...compilerOptions,
    target: 'ES2022',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    esModuleInterop: true,
    outDir: 'dist',
    rootDir: 'src',
  },
  include: ['src'],
});

/** Settings of an application from `nest new`, for the code in README. */
export const stockTsconfigFor = ({ stock }) => ({
  compilerOptions: {
    esModuleInterop: true,
    declaration: true,
    removeComments: true,
    emitDecoratorMetadata: true,
    experimentalDecorators: true,
    allowSyntheticDefaultImports: true,
    sourceMap: true,
    skipLibCheck: true,
    types: ['node'],
    ...stock,
    rootDir: 'readme',
    outDir: 'dist-readme',
  },
  include: ['readme'],
});

/** In addition to the Node that runs the matrix. */
export const NODES = ['22', '24'];
