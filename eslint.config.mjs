import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const noExportAll = {
  selector: 'ExportAllDeclaration',
  message: 'Name every export: `export { A, B } from "./file.js"`.',
};

const noLiteralSpread = {
  selector:
    ':matches(ObjectExpression > SpreadElement > ObjectExpression, ArrayExpression > SpreadElement > ArrayExpression, JSXSpreadAttribute > ObjectExpression)',
  message: 'Write the properties or items out, one a line, without the spread.',
};

export default defineConfig(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '.cache/**',
      '.dacapo/**',
      '**/baml_client/**',
      'bench/peers/**',
      'libs/collector/src/otlp/protobuf/trace.cjs',
    ],
  },
  js.configs.recommended,
  { rules: { 'no-restricted-syntax': ['error', noExportAll, noLiteralSpread] } },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './libs/dashboard/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Ports are async even where one driver is not.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['libs/dashboard/**/*.tsx'],
    plugins: { 'react-hooks': reactHooks },
    rules: reactHooks.configs.recommended.rules,
  },
  {
    // An entry names every export.
    files: ['libs/*/src/index.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    files: ['**/*.spec.ts', '**/test/**/*.ts', 'libs/collector/src/contract/**/*.ts'],
    rules: {
      'max-lines': 'off',
      // supertest and JSON.parse answer `any`; expectations are the type check there.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // wrapFramework takes the method itself, to know it by.
    files: ['sample-app/src/extraction/*.ts'],
    rules: { '@typescript-eslint/unbound-method': 'off' },
  },
  {
    // Loads at once, and as late as it can.
    files: ['libs/tracer/src/load-later.ts'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    files: ['**/*.{mjs,cjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        module: 'writable',
        require: 'readonly',
        __dirname: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        setImmediate: 'readonly',
        global: 'readonly',
        fetch: 'readonly',
        URL: 'readonly',
        performance: 'readonly',
        Buffer: 'readonly',
        AbortSignal: 'readonly',
      },
    },
  },
  {
    files: ['bench/dashboard/*.mjs'],
    languageOptions: {
      globals: {
        document: 'readonly',
        requestAnimationFrame: 'readonly',
        MutationObserver: 'readonly',
        PerformanceObserver: 'readonly',
      },
    },
  },
);
