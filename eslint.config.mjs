import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', 'node_modules', '.data', 'coverage'] },
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
      ],
      'no-empty': ['error', { allowEmptyCatch: false }],
      eqeqeq: 'error',
    },
  },
  { files: ['config/env.ts'], rules: { 'no-restricted-properties': 'off' } },
  { files: ['dev/**', 'bench/**', 'tests/**'], rules: { 'no-restricted-properties': 'off' } },
  // The bodies of supertest's responses are any; tests compare them whole.
  { files: ['tests/**'], rules: { '@typescript-eslint/no-unsafe-assignment': 'off' } },
);
