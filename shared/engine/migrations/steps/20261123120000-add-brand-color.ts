import { addColumns } from './Migration';

/** Adds the colour of a company's documents, `#rrggbb`. Null for ours. */
export default addColumns('companies', { brandColor: 'CHAR(7) CHARACTER SET ascii NULL' });
