import { addColumns } from './Migration';

/** Adds up to which day a sandbox company has asked for what its calendar does; null for every other company. */
export default addColumns('companies', { sandboxDay: 'DATE NULL' });
