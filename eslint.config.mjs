import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['**/dist', 'node_modules', '.data', 'coverage', 'clients/typescript/src/generated'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'config/env.ts is the only reader of process.env.' },
        { object: 'ctx', property: 'query', message: 'readQuery bounds the query before it is parsed.' },
      ],
      'no-empty': ['error', { allowEmptyCatch: false }],
      eqeqeq: 'error',
    },
  },
  {
    // Callers' text meets regular expressions: none may take longer than in proportion to its length.
    files: ['{api,cli,config,dev,operator,shared,workers}/**/*.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
      'no-restricted-syntax': [
        'error',
        {
          selector: "Property[key.name='pattern'][value.type='Literal']",
          message: 'Write the pattern of a schema as /…/u.source, so that its regular expression is checked too.',
        },
        {
          selector: "NewExpression[callee.name='RegExp'], CallExpression[callee.name='RegExp']",
          message: 'Write a literal, /…/u, so that the regular expression is checked.',
        },
      ],
    },
  },
  { files: ['config/env.ts'], rules: { 'no-restricted-properties': 'off' } },
  { files: ['dev/**', 'bench/**', 'proof/**', 'tests/**'], rules: { 'no-restricted-properties': 'off' } },
  // The bodies of supertest's responses are any; tests compare them whole.
  { files: ['tests/**'], rules: { '@typescript-eslint/no-unsafe-assignment': 'off' } },
);
