/** Changes of the schema, and how a version knows whether they have run. */
export { migrateDown, migrateUp, migrationStatus } from './migrate';
export { checkSchema, compareMigrations } from './schemaVersion';
export { migrations } from './steps';
