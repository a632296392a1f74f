import { id, type JobContract } from '../engine/jobs';

/** Counts of the rows of the file. */
export interface ImportCounts {
  created: number;
  unchanged: number;
  failed: number;
}

/** Imports the remaining rows of a file. */
export const importRecords: JobContract<'importRecords', { importId: number }, ImportCounts> = {
  name: 'importRecords',
  queue: 'import',
  payload: { type: 'object', required: ['importId'], properties: { importId: id } },
};
