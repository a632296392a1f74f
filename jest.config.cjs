/** Every test talks to real services: tests/support/globalSetup.ts starts throw-away servers for the run. */
module.exports = {
  testEnvironment: '<rootDir>/tests/support/jest/environment.cjs',
  runtime: '<rootDir>/tests/support/jest/runtime.cjs',
  // The sources of the client import `./x.js`, which exists in its package alone.
  moduleNameMapper: { '^(\\./.*)\\.js$': '$1' },
  roots: ['<rootDir>/tests'],
  testMatch: ['**/*.test.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  globalSetup: '<rootDir>/tests/support/globalSetup.ts',
  globalTeardown: '<rootDir>/tests/support/globalTeardown.ts',
  // A limit for what hangs; a busy machine may take ten times as long as a quiet one.
  testTimeout: 300_000,
  testSequencer: '<rootDir>/tests/support/jest/longFirst.cjs',
  restoreMocks: true,
  workerIdleMemoryLimit: '1000MB',
};
